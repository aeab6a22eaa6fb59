// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_parameters.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/util/input_file.hpp"
#include "common/util/text.hpp"
#include "spank/mpirun/mpirun_options.hpp"

namespace placement::spank {

namespace {

constexpr std::size_t most_bytes = 1 << 20;

// The directories of configuration of installations that do not have it in PREFIX/etc, as Debian and Red Hat pack them.
constexpr std::pair<std::string_view, std::string_view> packed[] = {{"/usr", "/etc/openmpi"},
                                                                    {"/usr/lib64/openmpi", "/etc/openmpi-x86_64"}};

// Returns the first mpirun in the directories of `path`; empty if there is none.
std::string program_in(const std::string& path) {
  std::error_code error;
  for (const std::string_view directory : split_at(path, ':'))
    for (const char* name : {"/mpirun", "/orterun", "/prterun"})
      if (directory.starts_with('/') && std::filesystem::exists(std::string(directory) + name, error))
        return std::string(directory) + name;
  return {};
}

// Returns the directories in which the installation of `program` may have its configuration.
std::vector<std::string> configuration_of(const VariableValue& value, const std::string& program) {
  std::vector<std::string> prefixes;
  for (const char* name : {"OPAL_PREFIX", "PRTE_PREFIX"})
    if (const auto prefix = value(name); prefix && !prefix->empty()) prefixes.push_back(*prefix);
  std::error_code error;
  const std::filesystem::path real = program.empty() ? "" : std::filesystem::canonical(program, error);
  if (!error && !real.empty()) prefixes.push_back(real.parent_path().parent_path().string());
  std::vector<std::string> directories;
  for (const std::string& prefix : prefixes) {
    directories.push_back(prefix + "/etc");
    for (const auto& [of, directory] : packed)
      if (prefix == of) directories.emplace_back(directory);
  }
  return directories;
}

}  // namespace

std::optional<std::string> variable_here(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string mapping_variable(char* const* environment) {
  for (char* const* entry = environment; entry && *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if ((name.starts_with("OMPI_MCA_") || name.starts_with("PRTE_MCA_")) && is_mapping_parameter(name))
      return std::string(name);
  }
  return {};
}

std::string mapping_parameter_in(std::string_view text) {
  for (const std::string_view line : split_at(text, '\n')) {
    const std::string_view pair = trimmed(line);
    if (pair.starts_with('#')) continue;
    const std::string_view name = trimmed(pair.substr(0, pair.find('=')));
    if (is_mapping_parameter(name)) return std::string(name);
  }
  return {};
}

std::vector<std::string> parameter_files(const VariableValue& value, const std::string& program) {
  const std::string home = value("HOME").value_or("");
  const std::vector<std::string> directories =
      configuration_of(value, program.empty() ? program_in(value("PATH").value_or("")) : program);
  std::vector<std::string> files;
  for (const bool of_prrte : {false, true}) {
    auto named = value(of_prrte ? "PRTE_MCA_mca_base_param_files" : "OMPI_MCA_mca_base_param_files");
    if (!named && !of_prrte) named = value("OMPI_MCA_mca_param_files");
    if (named) {
      std::replace(named->begin(), named->end(), ':', ',');
      for (const std::string_view file : split_at(*named, ','))
        if (!file.empty()) files.emplace_back(file);
    } else if (!home.empty()) {
      files.push_back(home + (of_prrte ? "/.prte" : "/.openmpi") + "/mca-params.conf");
    }
    const std::string begin = of_prrte ? "/prte-mca-params" : "/openmpi-mca-params";
    for (const std::string& directory : directories) {
      if (!named) files.push_back(directory + begin + ".conf");
      files.push_back(directory + begin + "-override.conf");
    }
  }
  return files;
}

std::string mapping_in_parameter_files(const VariableValue& value, const std::string& program) {
  for (const std::string& file : parameter_files(value, program)) {
    const std::string text = beginning_of_file(file, most_bytes + 1);
    if (text.size() > most_bytes) return shown(file) + " is longer than 1 MiB";
    if (const std::string name = mapping_parameter_in(text); !name.empty()) return shown(file) + " has " + shown(name);
  }
  return {};
}

}  // namespace placement::spank
