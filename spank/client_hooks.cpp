// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/client_hooks.hpp"

#include <slurm/slurm.h>

#include <cerrno>

#include "spank/function_hook.hpp"

namespace placement::spank {

namespace {

// The type of Slurm's internal function verify_dist_type, unchanged since 20.02. Slurm's option tables call it inside
// libslurmfull, and that call goes through the procedure linkage table, so it can be diverted.
using VerifyDistType = task_dist_states_t (*)(const char*, std::uint32_t*);

DistributionWord see_word = nullptr;
FunctionHook distribution_hook;

task_dist_states_t verify_with_policies(const char* word, std::uint32_t* plane_size) {
  if (see_word && see_word(word)) return SLURM_DIST_UNKNOWN;
  return reinterpret_cast<VerifyDistType>(distribution_hook.real())(word, plane_size);
}

using SetEnvironment = void (*)(char**);

constexpr const char* program = "";  // the empty name stands for salloc itself, which makes the calls
FunctionHook one_hook, components_hook, environment_hook;
SeeGrantedJob see_job = nullptr;
JobIsDescribed job_is_described = nullptr;

// Returns the job ID of the response. Before Slurm 25.05 it is a field of its own, since then a part of the step's ID.
template <typename Response>
std::uint32_t job_of(const Response& response) {
  if constexpr (requires { response.job_id; })
    return response.job_id;
  else
    return response.step_id.job_id;
}

void see(const resource_allocation_response_msg_t* response, std::uint32_t component) {
  if (see_job && response) see_job(job_of(*response), component, {response->environment, response->env_size});
}

// The replacements of the functions that salloc calls, with the parameters of this version of Slurm. In Slurm 26.05
// they have one parameter more.
template <typename Function>
struct AllocationFunction;

template <typename Answer, typename... Parameters>
struct AllocationFunction<Answer*(Parameters...)> {
  using Function = Answer* (*)(Parameters...);

  static Answer* of_one(Parameters... parameters) {
    Answer* const response = reinterpret_cast<Function>(one_hook.real())(parameters...);
    const int error = errno;  // salloc reads errno after the call
    see(response, 0);
    errno = error;
    return response;
  }

  // The response is a list, whose type has different names in different versions of Slurm.
  static Answer* of_components(Parameters... parameters) {
    Answer* const responses = reinterpret_cast<Function>(components_hook.real())(parameters...);
    const int error = errno;
    if (responses) {
      std::uint32_t component = 0;
      auto* const each = slurm_list_iterator_create(responses);
      while (void* response = slurm_list_next(each))
        see(static_cast<const resource_allocation_response_msg_t*>(response), component++);
      slurm_list_iterator_destroy(each);
    }
    errno = error;
    return responses;
  }
};

void set_environment(char** variables) {
  reinterpret_cast<SetEnvironment>(environment_hook.real())(variables);
  if (job_is_described) job_is_described();
}

}  // namespace

bool install_distribution_hook(DistributionWord see) {
  see_word = see;
  return distribution_hook.install("libslurmfull", "verify_dist_type", reinterpret_cast<void*>(verify_with_policies));
}

bool install_allocation_hook(SeeGrantedJob see, JobIsDescribed described) {
  see_job = see;
  job_is_described = described;
  environment_hook.install(program, "env_array_set_environment", reinterpret_cast<void*>(set_environment));
  return one_hook.install(
             program, "slurm_allocate_resources_blocking",
             reinterpret_cast<void*>(AllocationFunction<decltype(slurm_allocate_resources_blocking)>::of_one)) &&
         components_hook.install(
             program, "slurm_allocate_het_job_blocking",
             reinterpret_cast<void*>(AllocationFunction<decltype(slurm_allocate_het_job_blocking)>::of_components));
}

void remove_client_hooks() {
  for (FunctionHook* const hook : {&distribution_hook, &one_hook, &components_hook, &environment_hook}) hook->remove();
  see_word = nullptr;
  see_job = nullptr;
  job_is_described = nullptr;
}

}  // namespace placement::spank
