// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/job_log.hpp"

#include <zlib.h>

#include <array>
#include <fstream>
#include <iterator>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/words.hpp"

using namespace placement;
using namespace placement::sim;

namespace {

struct Read {
  std::vector<LogJob> jobs;
  LogNotes notes;

  // Number of lines that were left out, or repaired and used, for the reasons whose text has the word.
  std::int64_t skipped(std::string_view word) const { return count(word, true); }
  std::int64_t repaired(std::string_view word) const { return count(word, false); }

  std::int64_t count(std::string_view word, bool skipped) const {
    std::int64_t lines = 0;
    for (const auto& note : notes.notes())
      if (note.skipped == skipped && note.what.find(word) != std::string::npos) lines += note.count;
    return lines;
  }
};

Read read_path(const std::string& path) {
  Read read;
  read_job_log(path, read.notes, [&](LogJob&& job) { read.jobs.push_back(std::move(job)); });
  return read;
}

Read read_text(std::string_view text) {
  const TemporaryDirectory directory;
  return read_path(directory.file("log", text));
}

void write_gzip(const std::string& path, std::string_view text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ck_assert(file != nullptr);
  ck_assert_int_eq(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::string_view two_jobs =
    "; Version: 2.2\n; Partition: 10 standard\n"
    "1 0 5 100 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1\n"
    "2 60 5 50 4 12.5 -1 4 20 -1 1 7 8 -1 -1 3 -1 -1\r\n";

}  // namespace

START_TEST(reads_the_fields_that_matter) {
  const Read read = read_text(two_jobs);
  ck_assert_uint_eq(read.jobs.size(), 2);
  ck_assert_int_eq(read.jobs[0].id, 1);
  ck_assert_int_eq(read.jobs[0].run_s, 100);
  ck_assert_int_eq(read.jobs[0].limit_s, 200);
  ck_assert_int_eq(read.jobs[0].tasks, 16);
  ck_assert_text_eq(read.jobs[0].partition, "standard");
  ck_assert_text_eq(read.jobs[1].partition, "3");
  ck_assert_int_eq(read.jobs[1].submit_s, 60);
  ck_assert_int_eq(read.jobs[1].limit_s, 50);
  ck_assert_int_eq(read.repaired("longer"), 1);
  ck_assert_int_eq(read.skipped(""), 0);
}
END_TEST

START_TEST(counts_and_explains_each_bad_line) {
  const Read read = read_text(
      "1 -1 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n"
      "2 0 0 -1 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n"
      "3 0 0 0 4 -1 -1 4 20 -1 5 1 1 1 1 1 -1 -1\n"
      "4 0 0 10 -1 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n"
      "5 0 0 10 -1 -1 -1 8 -1 -1 1 1 1 1 1 1 -1 -1\n"
      "six words are no line at all\n"
      "7 0 0\n"
      "8 0 0 99999999999999999999999 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n"
      "9 0 0 10 99999999999 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n"
      "10 0 0 nan 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n"
      "11 0 0 10 4\n"
      "\n   \n; done\n");
  ck_assert_uint_eq(read.jobs.size(), 2);
  ck_assert_int_eq(read.jobs[0].tasks, 8);
  ck_assert_int_eq(read.jobs[0].limit_s, 10);
  ck_assert_int_eq(read.jobs[1].id, 11);
  ck_assert_int_eq(read.skipped("submit"), 1);
  ck_assert_int_eq(read.skipped("negative"), 1);
  ck_assert_int_eq(read.skipped("zero"), 1);
  ck_assert_int_eq(read.skipped("no processors"), 1);
  ck_assert_int_eq(read.repaired("allocated"), 1);
  ck_assert_int_eq(read.repaired("requested time"), 2);
  ck_assert_int_eq(read.skipped("numbers"), 4);
  ck_assert_int_eq(read.skipped("processors out"), 1);
  ck_assert_int_eq(read.skipped(""), 9);
  for (const auto& note : read.notes.notes())
    if (note.what.find("numbers") != std::string::npos) ck_assert_int_eq(note.first_line, 6);
}
END_TEST

START_TEST(unpacks_gzip_and_tells_damage) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/log.swf.gz";
  write_gzip(path, two_jobs);
  ck_assert_uint_eq(read_path(path).jobs.size(), 2);
  std::string many;
  for (int k = 0; k < 20000; ++k)
    many +=
        std::to_string(k) + " " + std::to_string(k * 7919 % 10007) + " 5 100 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1\n";
  write_gzip(path, many);
  ck_assert_uint_eq(read_path(path).jobs.size(), 20000);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  ck_assert_error(read_path(path), "log.swf.gz: unexpected end");
  ck_assert_error(read_path(directory.path() + "/none"), "none: No such file");
}
END_TEST

START_TEST(cuts_endless_lines) {
  const Read read = read_text(std::string(300000, '7') + "\n" + std::string(two_jobs));
  ck_assert_uint_eq(read.jobs.size(), 2);
  ck_assert_int_eq(read.skipped(""), 1);
}
END_TEST

START_TEST(reads_sacct) {
  const Read read = read_text(
      "JobID|Partition|Submit|Elapsed|AllocCPUS|Timelimit|State\n"
      "100|thin|2024-05-01T00:00:10|01:00:00|32|2-00:00:00|COMPLETED\n"
      "100.batch|thin|2024-05-01T00:00:10|01:00:00|32||COMPLETED\n"
      "101_7|thin|2024-05-01T00:01:00|00:00:30|1|UNLIMITED|FAILED\n"
      "102|thin|2024-05-01T00:02:00|00:00:00|0|01:00:00|CANCELLED\n"
      "103|thin|Unknown|00:10|4|01:00:00|COMPLETED\n"
      "104|thin\n");
  ck_assert_uint_eq(read.jobs.size(), 2);
  ck_assert_int_eq(read.jobs[0].submit_s, 1714521610);
  ck_assert_int_eq(read.jobs[0].run_s, 3600);
  ck_assert_int_eq(read.jobs[0].limit_s, 172800);
  ck_assert_int_eq(read.jobs[0].tasks, 32);
  ck_assert_text_eq(read.jobs[0].partition, "thin");
  ck_assert_int_eq(read.jobs[1].id, 101);
  ck_assert_int_eq(read.skipped("step"), 1);
  ck_assert_int_eq(read.repaired("requested time"), 1);
  ck_assert_int_eq(read.skipped("zero"), 1);
  ck_assert_int_eq(read.skipped("submit"), 1);
  ck_assert_int_eq(read.skipped("columns"), 1);
  ck_assert_error(read_text("JobID|Submit|Elapsed\n"), "log:1: ");
  ck_assert_error_words(read_text("JobID|Submit|Elapsed\n"), "AllocCPUS NCPUS");
}
END_TEST

START_TEST(prefers_raw_columns_of_sacct) {
  const Read read =
      read_text("JobID|Submit|ElapsedRaw|NCPUS|TimelimitRaw\n5|1714521610|90|8|60\n6|1714521600|-5|8|60\n");
  ck_assert_uint_eq(read.jobs.size(), 1);
  ck_assert_int_eq(read.jobs[0].submit_s, 1714521610);
  ck_assert_int_eq(read.jobs[0].run_s, 90);
  ck_assert_int_eq(read.jobs[0].limit_s, 3600);
}
END_TEST

START_TEST(knows_the_quirks_of_the_archive) {
  const Read read = read_text(
      "\xef\xbb\xbf\n"
      "1 0 5 100.4 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1\r\n"
      "; a comment in the middle\n"
      "1 0 5 40 16 -1 -1 32 200 -1 2 7 8 -1 -1 10 -1 -1\n"  // a part of job 1
      "1 0 5 60 16 -1 -1 32 200 -1 3 7 8 -1 -1 10 -1 -1\n"
      "2 -7 5 100 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1\n"
      "3\t10 5 100 0 -1 -1 32 200 -1 1 7 8 -1 -1 10 1 600\n"
      "1 20 5 100 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1\n"
      "5 99999999999 5 100 16\n"
      "6 30 5 1e300 16\n"
      "7 30 5 5000000000 16\n"
      "8 30 5 100 16 -1 -1 32 200 -1 1 7 8 -1 -1 10 -1 -1 and more\n");
  ck_assert_uint_eq(read.jobs.size(), 4);
  ck_assert_int_eq(read.jobs[0].run_s, 100);
  ck_assert_int_eq(read.jobs[1].tasks, 32);
  ck_assert_int_eq(read.skipped("status"), 2);
  ck_assert_int_eq(read.skipped("submit"), 2);
  ck_assert_int_eq(read.repaired("job number"), 1);
  ck_assert_int_eq(read.repaired("preceding"), 1);
  ck_assert_int_eq(read.skipped("time out"), 1);
  ck_assert_int_eq(read.skipped("numbers"), 1);
  ck_assert_int_eq(read.repaired("18"), 3);
}
END_TEST

START_TEST(knows_the_quirks_of_sacct) {
  const Read read = read_text(
      "\n"
      "State|Timelimit|AllocCPUS|Submit|Elapsed|ReqCPUS|JobID\r\n"
      "COMPLETED|1-00:00:00|1.5K|2024-05-01T00:00:10|1-01:00:00|1500|100\r\n"
      "COMPLETED||1.5K|2024-05-01T00:00:10|1-01:00:00|1500|100.extern\n"
      "COMPLETED||1|2024-05-01T00:00:10|00:00:30|1|100.0\n"
      "NODE_FAIL|Partition_Limit|8|2024-05-01T00:00:20|10:00|8|101\n"
      "REQUEUED|Partition_Limit|8|2024-05-01T00:00:20|00:10.5|8|101\n"
      "RUNNING|UNLIMITED|4|2024-05-01T00:01:00|05:00|4|102_3\n"
      "CANCELLED by 1000|01:00:00|0|2024-05-01T00:02:00|00:00:00|4|103_[1-9%2]\n"
      "COMPLETED|01:00:00|0|2024-05-01T00:03:00|00:00:20|2|104+1\n"
      "State|Timelimit|AllocCPUS|Submit|Elapsed|ReqCPUS|JobID\n"
      "COMPLETED|01:00:00|many|2024-05-01T00:03:00|00:00:20|2X|105\n"
      "COMPLETED|01:00:00|2|None|00:00:20|2|106\n"
      "COMPLETED|01:00:00|2|2024-13-01T00:03:00|00:00:20|2|107\n"
      "COMPLETED|01:00:00|2|2026-02-30T00:03:00|00:00:20|2|110\n"
      "COMPLETED|01:00:00|2|2024-05-01T00:03:00|Unknown|2|108\n"
      "COMPLETED|01:00:00|2|a|pipe|2024-05-01T00:03:00|00:00:20|2|109\n");
  ck_assert_uint_eq(read.jobs.size(), 5);
  ck_assert_int_eq(read.jobs[0].tasks, 1536);  // K is 1024, as in sacct
  ck_assert_int_eq(read.jobs[0].run_s, 90000);
  ck_assert_int_eq(read.jobs[0].limit_s, 90000);  // the job ran longer than it requested
  ck_assert_int_eq(read.jobs[1].run_s, 600);
  ck_assert_int_eq(read.jobs[2].run_s, 10);
  ck_assert_int_eq(read.jobs[3].id, 102);
  ck_assert(read.jobs[3].array_task && !read.jobs[1].array_task);
  ck_assert_int_eq(read.jobs[4].tasks, 2);
  ck_assert_int_eq(read.skipped("step"), 2);
  ck_assert_int_eq(read.repaired("requeued"), 1);
  ck_assert_int_eq(read.repaired("ended"), 1);
  ck_assert_int_eq(read.skipped("zero"), 1);
  ck_assert_int_eq(read.repaired("heterogeneous"), 1);
  ck_assert_int_eq(read.skipped("again"), 1);
  ck_assert_int_eq(read.repaired("--noconvert"), 1);
  ck_assert_int_eq(read.skipped("no processors"), 1);
  ck_assert_int_eq(read.skipped("submit"), 3);
  ck_assert_int_eq(read.skipped("negative"), 1);
  ck_assert_int_eq(read.skipped("columns"), 1);
  ck_assert_int_eq(read.repaired("requested time"), 3);
}
END_TEST

START_TEST(computes_run_times_of_sacct) {
  const Read read = read_text(
      "JobID|Start|End|Submit|NCPUS|\n"
      "7|2024-05-01T00:00:10|2024-05-01T00:10:10|2024-05-01T00:00:00|8|\n"
      "8|2024-05-01T00:00:10|Unknown|2024-05-01T00:00:00|8|\n"
      "9|2024-05-01T00:10:10|2024-05-01T00:00:10|2024-05-01T00:00:00|8|\n");
  ck_assert_uint_eq(read.jobs.size(), 1);
  ck_assert_int_eq(read.jobs[0].run_s, 600);
  ck_assert_int_eq(read.skipped("negative"), 2);
  ck_assert_error_words(read_text("JobID|Start|Submit|NCPUS\n"), "column ElapsedRaw Elapsed");
}
END_TEST

// Slurm's forms of a duration. With days, the parts count from hours; without days, up from seconds.
START_TEST(durations_of_sacct) {
  const struct {
    const char* text;
    std::int64_t seconds;
  } good[] = {{"1-12:30", 131400},  {"1-00", 86400},    {"0-12:30", 45000},      {"2-03:04:05", 183845},
              {"12:30", 750},       {"01:12:30", 4350}, {"00:10.5", 10},         {"1-00:00:00.999", 86400},
              {"10-1:2:3", 867723}, {"100:00", 6000},   {"1-36", 86400 + 129600}};
  for (const auto& [text, seconds] : good) {
    const Read read =
        read_text("JobID|Submit|Elapsed|AllocCPUS|Timelimit\n1|5|" + std::string(text) + "|8|" + text + "\n");
    ck_assert_msg(read.jobs.size() == 1 && read.jobs[0].run_s == seconds && read.jobs[0].limit_s == seconds, "%s",
                  text);
    ck_assert_uint_eq(read.notes.notes().size(), 0);
  }
  for (const char* bad :
       {"1-", "-5", "1-1:2:3:4", "1:2:3:4", "x", "1-x", "1.5:30", "12:", ":30", "1-12.5:30", "1 12:30"}) {
    const Read run = read_text("JobID|Submit|Elapsed|AllocCPUS\n1|5|" + std::string(bad) + "|8\n");
    ck_assert_msg(run.jobs.empty() && run.skipped("Elapsed") == 1, "%s", bad);
    const Read limit = read_text("JobID|Submit|ElapsedRaw|AllocCPUS|Timelimit\n1|5|60|8|" + std::string(bad) + "\n");
    ck_assert_msg(limit.jobs.size() == 1 && limit.jobs[0].limit_s == 60, "%s", bad);
    ck_assert_msg(limit.repaired("Timelimit") == 1, "%s", bad);
  }
  // A number alone: minutes in a limit, as for sbatch --time; seconds in a run time, with a note.
  const Read alone = read_text("JobID|Submit|Elapsed|AllocCPUS|Timelimit\n1|5|90|8|60\n");
  ck_assert_int_eq(alone.jobs[0].run_s, 90);
  ck_assert_int_eq(alone.jobs[0].limit_s, 3600);
  ck_assert_int_eq(alone.repaired("Elapsed "), 1);
}
END_TEST

// Each duration as sacct prints it reads back, in all of Slurm's forms that can hold it.
START_TEST(durations_read_back) {
  std::uint32_t seed = 1;
  for (int k = 0; k < 300; ++k) {
    seed = seed * 1664525 + 1013904223;
    const int days = seed >> 8 & 3, hours = (seed >> 12) % 24, minutes = (seed >> 18) % 60, seconds = (seed >> 24) % 60;
    const std::int64_t all_s = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
    if (all_s < 3600) continue;
    char full[64], short_days[64];
    snprintf(full, sizeof full, days > 0 ? "%d-%02d:%02d:%02d" : "%.0d%02d:%02d:%02d", days, hours, minutes, seconds);
    snprintf(short_days, sizeof short_days, "%d-%02d:%02d", days, hours, minutes);
    const Read read = read_text("JobIDRaw|Submit|Elapsed|AllocCPUS|Timelimit|\n1|5|" + std::string(full) + "|8|" +
                                std::to_string(all_s / 60 + 1) + "|\n2|5|" + short_days + "|8|UNLIMITED|\n");
    ck_assert_uint_eq(read.jobs.size(), 2);
    ck_assert_int_eq(read.jobs[0].run_s, all_s);
    ck_assert_int_eq(read.jobs[0].limit_s, (all_s / 60 + 1) * 60);
    ck_assert_int_eq(read.jobs[1].run_s, all_s - seconds);
  }
}
END_TEST

START_TEST(columns_and_separators_of_sacct) {
  const std::string lines[] = {
      "JobIDRaw|Submit|Elapsed|AllocTRES", "12|2026-01-01 00:00:10|1-00|billing=8;cpu=8;mem=1G",
      "12.batch|2026-01-01 00:00:10|1-00|cpu=8;mem=1G;node=1", "13|2026-01-01T01:00:10.25+0100|01:00|node=1;cpu=1.5K"};
  for (const char separator : {'|', '\t', ';'})
    for (const bool at_end : {false, true}) {
      std::string text;
      for (std::string line : lines) {
        for (char& c : line) c = c == '|' ? separator : c == ';' ? ',' : c;
        text += line + (at_end ? std::string(1, separator) : "") + "\n";
      }
      const Read read = read_text(text);
      ck_assert_uint_eq(read.jobs.size(), 2);
      ck_assert_int_eq(read.jobs[0].id, 12);
      ck_assert_int_eq(read.jobs[0].tasks, 8);
      ck_assert_int_eq(read.jobs[0].run_s, 86400);
      ck_assert_int_eq(read.jobs[0].submit_s, 1767225610);
      ck_assert_int_eq(read.jobs[1].tasks, 1536);
      ck_assert_int_eq(read.jobs[1].submit_s, 1767225610);
      ck_assert_int_eq(read.skipped("step"), 1);
      ck_assert_int_eq(read.repaired("--noconvert"), 1);
    }
  ck_assert_uint_eq(read_text("JobID,Submit,ElapsedRaw,NCPUS\n1,5,60,8\n").jobs.size(), 1);
  // A comma within a quoted value separates nothing, as in files of pandas.
  const Read quoted = read_text(
      "\"JobID\",Submit,ElapsedRaw,NCPUS,NodeList,\"JobName\"\n1,\"5\",60,8,\"n[1,3]\",\"a, b\"\n2,5,60,16,n1,a\"b\n");
  ck_assert_uint_eq(quoted.jobs.size(), 2);
  ck_assert_int_eq(quoted.jobs[0].tasks, 8);
  ck_assert_text_eq(quoted.jobs[0].nodes, "n[1,3]");
  ck_assert_int_eq(quoted.jobs[1].tasks, 16);
  // Without quotes it makes a column too many, which is never read as something else.
  ck_assert_int_eq(read_text("JobID,Submit,ElapsedRaw,NCPUS,NodeList\n1,5,60,8,n[1,3]\n").skipped("columns"), 1);
  // A number of nodes is no number of processors.
  for (const char* nodes : {"NNodes", "AllocNodes", "ReqNodes"}) {
    ck_assert_error(read_text("\nJobID|Submit|Elapsed|" + std::string(nodes) + "\n1|5|01:00|7\n"), "log:2: ");
    ck_assert_error_words(read_text("\nJobID|Submit|Elapsed|" + std::string(nodes) + "\n1|5|01:00|7\n"),
                          "column AllocCPUS NCPUS");
  }
}
END_TEST

START_TEST(parts_of_jobs_in_sacct) {
  const Read read = read_text(
      "JobID|Submit|ElapsedRaw|AllocCPUS\n"
      "1_2|5|60|4\n1_2.batch|5|60|4\n1_2.0|5|60|4\n1_[3-5]|5|0|0\n1_[6,8-9%2]|5|0|0\n"
      "7+0|5|60|4\n7+0.batch|5|60|4\n7+1|5|60|8\n7+1.0|5|60|8\n9.extern|5|60|8\n9.interactive|5|60|8\n9|5|60|8\n");
  ck_assert_uint_eq(read.jobs.size(), 4);
  const std::int64_t ids[] = {1, 7, 7, 9};
  for (std::size_t k = 0; k < 4; ++k) ck_assert_int_eq(read.jobs[k].id, ids[k]);
  ck_assert(read.jobs[0].array_task && !read.jobs[1].array_task);
  ck_assert_int_eq(read.skipped("step"), 6);
  ck_assert_int_eq(read.skipped("zero"), 2);
  ck_assert_int_eq(read.repaired("heterogeneous"), 2);
}
END_TEST

// Dates in another form are no jobs, and the message names file, line, column and what to change.
START_TEST(refuses_other_dates) {
  const TemporaryDirectory directory;
  for (const char* date : {"05/01/24-12:00:00", "2024-05-01T12:00:00 CEST", "01 May 12:00", "2024-05-01T12"}) {
    LogNotes notes;
    const std::string path =
        directory.file("log", "JobID|Submit|ElapsedRaw|AllocCPUS\n1|" + std::string(date) + "|60|8\n");
    ck_assert_error(select_jobs(path, {}, notes), "column Submit");
    ck_assert_error(select_jobs(path, {}, notes), "SLURM_TIME_FORMAT");
    ck_assert_error(select_jobs(path, {}, notes), "line 2");
  }
}
END_TEST

START_TEST(jobs_wait_from_when_they_are_eligible) {
  const Read read = read_text(
      "JobID|Submit|Eligible|ElapsedRaw|AllocCPUS\n"
      "1|2026-01-01T00:00:00|2026-01-05T00:00:00|100|16\n"
      "2|2026-01-01T00:10:00|2026-01-01T00:10:00|100|16\n"
      "3|2026-01-01T00:20:00|Unknown|100|16\n"
      "4|2026-01-01T00:30:00|2026-01-01T00:29:00|100|16\n"
      "5|Unknown|2026-01-01T00:29:00|100|16\n"
      "6|2026-01-01T00:40:00||100|16\n");
  constexpr std::int64_t begin_s = 1767225600;  // begin of the year 2026
  const std::int64_t submitted_s[] = {4 * 86400, 600, 1200, 1800, 2400};
  ck_assert_uint_eq(read.jobs.size(), 5);
  for (std::size_t k = 0; k < 5; ++k) ck_assert_int_eq(read.jobs[k].submit_s, begin_s + submitted_s[k]);
  ck_assert_int_eq(read.repaired("eligible"), 1);
  ck_assert_int_eq(read.skipped("submit"), 1);
}
END_TEST

START_TEST(threads_make_cores) {
  const TemporaryDirectory directory;
  const std::string sacct = directory.file(
      "sacct", "JobID|Submit|ElapsedRaw|AllocCPUS|ReqCPUS\n1|5|90|128|1\n2|5|90|7|1\n3|5|90|1|1\n4|5|90|0|8\n");
  const auto read = [](const std::string& path, const ProcessorsPerCore& per_core) {
    Read result;
    read_job_log(
        path, result.notes, [&](LogJob&& job) { result.jobs.push_back(std::move(job)); }, per_core);
    return result;
  };
  const Read half = read(sacct, {2, 1});
  ck_assert_uint_eq(half.jobs.size(), 4);
  const std::int32_t cores[] = {64, 4, 1, 4};
  for (std::size_t k = 0; k < 4; ++k) ck_assert_int_eq(half.jobs[k].tasks, cores[k]);
  ck_assert_int_eq(half.repaired(" 2 "), 4);
  ck_assert_int_eq(half.repaired("last core"), 2);
  ck_assert_int_eq(read(sacct, {1, 4}).jobs[0].tasks, 128);
  ck_assert_uint_eq(read(sacct, {1, 4}).notes.notes().size(), half.notes.notes().size() - 2);
  const std::string swf = directory.file("swf", two_jobs);
  ck_assert_int_eq(read(swf, {1, 4}).jobs[0].tasks, 4);
  ck_assert_int_eq(read(swf, {0, 1}).jobs[0].tasks, 16);
  ck_assert_error(read(sacct, {0, 1}), "--threads-per-core");
}
END_TEST

START_TEST(unpacks_what_follows_and_refuses_other_packers) {
  const TemporaryDirectory directory;
  write_gzip(directory.path() + "/one.gz", two_jobs);
  const std::string member = contents_of(directory.path() + "/one.gz");
  ck_assert_uint_eq(read_path(directory.file("two.gz", member + member)).jobs.size(), 4);
  ck_assert_error(read_path(directory.file("cut.gz", member + member.substr(0, member.size() / 2))),
                  "cut.gz: unexpected end of file");
  for (const char* const packed : {"BZh91AY&SY", "\xfd\067zXZ and so on", "\x28\xb5\x2f\xfd....", "BZh9|1AY&SY"})
    ck_assert_error(read_text(packed), "gzip");
}
END_TEST

START_TEST(selects_and_sorts) {
  const TemporaryDirectory directory;
  std::string text = "; Partition: 1 thin\n";
  const int submit[] = {500, 300, 400, 900, 600};
  for (int k = 0; k < 5; ++k)
    text += std::to_string(k) + " " + std::to_string(submit[k]) + " 0 10 " + std::to_string(4 << k) +
            " -1 -1 -1 20 -1 1 1 1 1 1 " + (k == 4 ? "2" : "1") + " -1 -1\n";
  const std::string path = directory.file("log", text);
  LogNotes notes;
  JobSelection selection;
  selection.partitions = {"1"};  // a partition with a name can be given by its number
  ck_assert_uint_eq(select_jobs(path, selection, notes).jobs.size(), 4);
  selection.partitions = {"THIN"};
  selection.window_s = 500;
  notes = {};
  JobList list = select_jobs(path, selection, notes);
  ck_assert_uint_eq(list.jobs.size(), 3);
  ck_assert_int_eq(list.not_selected, 2);
  ck_assert_int_eq(list.jobs[0].id, 1);
  ck_assert_int_eq(list.jobs[0].submit_s, 0);
  ck_assert_int_eq(list.jobs[2].submit_s, 200);
  ck_assert_uint_eq(notes.notes().size(), 1);  // one job out of order

  selection = {};
  selection.from_s = 350;
  selection.window_s = 200;
  list = select_jobs(path, selection, notes);
  ck_assert_uint_eq(list.jobs.size(), 2);
  ck_assert_int_eq(list.jobs[0].submit_s, 50);
  selection.most_jobs = 1;
  ck_assert_int_eq(select_jobs(path, selection, notes).jobs[0].id, 2);
  selection.most_jobs = 10;
  selection.window_s = 150;  // a job submitted at 500 s is one second too late
  ck_assert_int_eq(select_jobs(path, selection, notes).jobs.size(), 1);
  selection.window_s = 151;
  ck_assert_int_eq(select_jobs(path, selection, notes).jobs.size(), 2);
  // A begin at 0 counts like any other begin.
  selection = {};
  for (selection.from_s = 0; *selection.from_s < 2; ++*selection.from_s) {
    selection.window_s = 301;
    list = select_jobs(path, selection, notes);
    ck_assert_uint_eq(list.jobs.size(), 1);
    ck_assert_int_eq(list.jobs[0].submit_s, 300 - *selection.from_s);
    selection.window_s = 200;
    ck_assert_error(select_jobs(path, selection, notes), "from 300 to 900 s");
    ck_assert_error(select_jobs(path, selection, notes), " 5 usable jobs");
  }
}
END_TEST

START_TEST(knows_which_log_it_is) {
  ck_assert_uint_eq(read_text(" ; a|b\n" + std::string(two_jobs)).jobs.size(), 2);
  ck_assert_uint_eq(read_text("\n\t;JobID|Submit\n" + std::string(two_jobs)).jobs.size(), 2);
  ck_assert_uint_eq(read_text("a line that is none\n" + std::string(two_jobs)).jobs.size(), 2);
  const auto refused = [](const std::string& text, const char* place) {
    for (const char* part : {place, "JobID|Submit", "18 numbers"}) ck_assert_error(read_text(text), part);
  };
  for (const std::string& text : {std::string("\x7f"
                                              "ELF\x02\x01\0\0|\x01|\0",
                                              13),
                                  std::string("\x7f"
                                              "ELF\x02\x01\0\0\n\0\0",
                                              11),
                                  std::string("7|2026-01-01T00:00:00|90|8\n"), std::string("a|b\n1|2\n"),
                                  std::string("JobID Submit ElapsedRaw\n7 1 1\n")})
    refused(text, "log:1: ");
  refused("\n\na|b\n", "log:3: ");
  ck_assert_error_words(read_text("JobID|State\n"), "column Submit");
  ck_assert_uint_eq(read_text("; nothing but this\n").jobs.size(), 0);
}
END_TEST

START_TEST(points_in_time) {
  ck_assert_int_eq(time_point("2026-01-01"), 1767225600);
  ck_assert_int_eq(time_point("2026-01-01T01:30"), 1767225600 + 5400);
  ck_assert_int_eq(time_point("2026-01-01T01:30:07"), 1767225600 + 5407);
  ck_assert_int_eq(time_point("2024-02-29"), 1709164800);
  ck_assert_int_eq(time_point("2026-01-01 01:30"), 1767225600 + 5400);
  ck_assert_int_eq(time_point("2026-01-01T01:30:07.75"), 1767225600 + 5407);
  ck_assert_int_eq(time_point("2026-01-01T01:30:07Z"), 1767225600 + 5407);
  ck_assert_int_eq(time_point("2026-01-01T01:30+02:00"), 1767225600 - 1800);
  ck_assert_int_eq(time_point("2025-12-31T23:30:00-0100"), 1767225600 + 1800);
  ck_assert_int_eq(time_point("0"), 0);
  ck_assert_int_eq(time_point("1767225600"), 1767225600);
  for (const char* bad : {"", "-5", "2026-02-29", "2026-13-01", "2026-01-01T", "2026-01-01T25:00", "2026-01-01T10",
                          "2026-01-01 x", "2026-01", "x"})
    ck_assert_msg(time_point(bad) < 0 || std::string_view(bad) == "%s", bad);
}
END_TEST

START_TEST(refuses_an_empty_selection) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("log", two_jobs);
  LogNotes notes;
  JobSelection selection;
  selection.from_s = 1000;
  ck_assert_error(select_jobs(path, selection, notes), " 2 usable jobs");
  selection = {};
  selection.partitions = {"fat"};
  ck_assert_error(select_jobs(path, selection, notes), "partitions are 3, standard (10)");
  // The reader of a log without usable jobs reads how many lines were skipped, if there are any.
  for (const auto& [name, text, part] :
       {std::array{"empty", "", "empty: no job"}, {"bad", "; nothing\n1 2 3\n", "skipped 1: "}}) {
    LogNotes of_file;
    bool refused = false;
    try {
      select_jobs(directory.file(name, text), {}, of_file);
    } catch (const NoJobs& error) {
      refused = std::string_view(error.what()).find(part) != std::string_view::npos;
    }
    ck_assert_msg(refused, "%s", name);
  }
}
END_TEST

int main() {
  Suite* suite = suite_create("job_log");
  TCase* all = tcase_create("all");
  tcase_add_test(all, reads_the_fields_that_matter);
  tcase_add_test(all, counts_and_explains_each_bad_line);
  tcase_add_test(all, unpacks_gzip_and_tells_damage);
  tcase_add_test(all, cuts_endless_lines);
  tcase_add_test(all, reads_sacct);
  tcase_add_test(all, prefers_raw_columns_of_sacct);
  tcase_add_test(all, knows_the_quirks_of_the_archive);
  tcase_add_test(all, knows_the_quirks_of_sacct);
  tcase_add_test(all, computes_run_times_of_sacct);
  tcase_add_test(all, durations_of_sacct);
  tcase_add_test(all, durations_read_back);
  tcase_add_test(all, columns_and_separators_of_sacct);
  tcase_add_test(all, parts_of_jobs_in_sacct);
  tcase_add_test(all, refuses_other_dates);
  tcase_add_test(all, jobs_wait_from_when_they_are_eligible);
  tcase_add_test(all, threads_make_cores);
  tcase_add_test(all, unpacks_what_follows_and_refuses_other_packers);
  tcase_add_test(all, selects_and_sorts);
  tcase_add_test(all, knows_which_log_it_is);
  tcase_add_test(all, points_in_time);
  tcase_add_test(all, refuses_an_empty_selection);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
