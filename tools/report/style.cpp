// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/report/style.hpp"

namespace placement::tools {

namespace {

constexpr const char* colours =
    R"(:root{color-scheme:light dark;--page:#fbfaf7;--card:#ffffff;--text:#1d2126;--quiet:#535c66;--line:#d5d8dc;--edge:#7a828b;
--link:#0b4f8a;--bar:#2a6fa8;--good:#1c6b3c;--bad:#a3262a;--warn:#785000;--soft:#eef2f6;--a:#1f6aa5;--b:#b3401f;--c:#22733f;--d:#6c4aa0}
@media(prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--text:#e8eaed;--quiet:#aeb6bf;--line:#3a4047;--edge:#87909a;
--link:#8fc1f5;--bar:#5b9fd8;--good:#7fd19b;--bad:#ff9d97;--warn:#efc069;--soft:#262b31;--a:#74b4ec;--b:#f2936f;--c:#79cf94;--d:#c0a2f0}}
)";

constexpr const char* layout = R"(*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:0 1rem 4rem;background:var(--page);color:var(--text);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:break-word}
h1{font-size:1.9rem;line-height:1.2;margin:2rem 0 .4rem;letter-spacing:-.01em}
h2{font-size:1.35rem;line-height:1.25;margin:0 0 .6rem}
h3{font-size:1.05rem;margin:1.6rem 0 .5rem}
p,ul.plain{max-width:70ch;margin:.5rem 0}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem;z-index:1}
.quiet{color:var(--quiet);font-size:.92rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;margin:1rem 0 1.5rem;padding:.6rem 0;border-block:1px solid var(--line)}
nav a{display:inline-block;padding:.2rem 0}
main:focus{outline:none}
section{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1.3rem 1.4rem 1.5rem;margin:0 0 1.4rem}
.missing{border-left:4px solid var(--warn);padding:.2rem 0 .2rem .9rem}
.missing strong{color:var(--warn)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.8rem 1.4rem;margin:.8rem 0 1.2rem}
.facts div{border-top:2px solid var(--line);padding-top:.35rem}
.facts dt{color:var(--quiet);font-size:.88rem}
.facts dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums;min-width:min(100%,24rem)}
caption{text-align:left;max-width:min(70ch,82vw);color:var(--quiet);padding:0 0 .4rem;font-size:.9rem}
th,td{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{font-weight:600}tbody th{font-weight:500;max-width:34rem}
.num{text-align:right;white-space:nowrap}
thead th{vertical-align:bottom;border-bottom:1px solid var(--edge)}
td.drawing{padding:.35rem 0;min-width:12rem}
details{margin:.8rem 0}
summary{cursor:pointer;color:var(--link);padding:.2rem 0}
svg{display:block;max-width:100%;height:auto}
svg text{fill:var(--text);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg .axis{stroke:var(--edge)}svg .grid{stroke:var(--line)}svg .quiet{fill:var(--quiet)}
svg.wide{min-width:36rem}
td:not(.num):not(.drawing){min-width:9rem}
figure{margin:1rem 0}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 2rem}.pictures>div{min-width:0}
figcaption{color:var(--quiet);font-size:.92rem;max-width:70ch;margin:.3rem 0 .5rem}
.bar{fill:var(--bar)}.mark{stroke:var(--bar);fill:var(--bar)}
.s0{stroke:var(--a)}.s1{stroke:var(--b);stroke-dasharray:9 4}.s2{stroke:var(--c);stroke-dasharray:3 4}.s3{stroke:var(--d);stroke-dasharray:12 4 3 4}
)";

constexpr const char* pictures = R"(.switches,.switches ul{list-style:none;margin:0;padding:0}
.switches ul{margin-left:.5rem;padding-left:.9rem;border-left:2px solid var(--line)}
.switches li{margin:.7rem 0}
.switches ul.leaves{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:0 1.6rem}
.tiles{display:flex;flex-wrap:wrap;gap:3px;margin-top:.3rem}
.tile{position:relative;display:inline-flex;align-items:flex-end;justify-content:center;width:1.7rem;height:1.7rem;border:1px solid var(--edge);
background:var(--card);font-size:.8rem;line-height:1.55rem;overflow:hidden}
.small .tile{width:1.05rem;height:1.05rem;font-size:.68rem;line-height:.95rem}.small{gap:2px}
.tile.named{width:auto;min-width:4.2rem;padding:0 .4rem}
.tile i{position:absolute;left:0;right:0;bottom:0;background:var(--bar);opacity:.3}
.tile b{position:relative;font-weight:600}
.tile.down{border:2px solid var(--bad);color:var(--bad)}.tile.suspect{border:2px dashed var(--warn);color:var(--warn)}
.tile.unknown{border-style:dotted;color:var(--quiet)}.tile.closed{background:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;list-style:none;padding:0;margin:.6rem 0;font-size:.9rem}
.legend li{display:flex;align-items:center;gap:.5rem}
.legend .swatch{width:1.4rem;height:1.1rem;line-height:1rem;text-align:center;border:1px solid var(--edge)}
.q0{fill:#e9f1f8;background:#e9f1f8}.q1{fill:#c6dcee;background:#c6dcee}.q2{fill:#9dc3e2;background:#9dc3e2}.q3{fill:#6aa3d0;background:#6aa3d0}
.q4{fill:#2f73ad;background:#2f73ad}.q5{fill:#1a5488;background:#1a5488}.q6{fill:#0c3358;background:#0c3358}
.qx{fill:var(--card);background:var(--card);stroke:var(--edge)}
svg .on-light{fill:#14171a}svg .on-dark{fill:#ffffff}
.verdict{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem;margin:1rem 0;padding:0}
.verdict dt{font-weight:600}.verdict dd{margin:0 0 .8rem}
.tag{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .7rem;font-size:.88rem;font-weight:600;white-space:nowrap}
.tag.yes{color:var(--good)}.tag.no{color:var(--bad)}.tag.open{color:var(--warn)}
)";

constexpr const char* paper =
    R"(@media(max-width:38rem){body{padding:0 .6rem 3rem}section{padding:1rem .9rem}h1{font-size:1.5rem}.facts{grid-template-columns:1fr 1fr}
.verdict{grid-template-columns:1fr}}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--quiet:#333;--line:#aaa;--edge:#555;--link:#000;--bar:#2a6fa8;--good:#1c6b3c;--bad:#a3262a;--warn:#785000;
--soft:#eee;--a:#1f6aa5;--b:#b3401f;--c:#22733f;--d:#6c4aa0}
body{max-width:none;padding:0;font-size:10pt}nav,.skip{display:none}section{border:0;padding:0;margin:0 0 1.5rem}h2,h3{break-after:avoid}
tr,svg,.switches li{break-inside:avoid}.pictures{display:block}table{font-size:8.5pt}.screen{display:none}.scroll{overflow:visible}.quiet{color:#333}
details::details-content{content-visibility:visible;block-size:auto}details>*{display:block}summary{list-style:none;color:#000}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
@media(forced-colors:active){.tile i,.bar,.swatch,svg rect{forced-color-adjust:none}}
)";

}  // namespace

std::string report_style() { return std::string(colours) + layout + pictures + paper; }

}  // namespace placement::tools
