"""Faults that strangers have found, each with the tests that hold its kind; a row without its test fails."""

import ast
from functools import cache

import pytest

from support.project import ROOT

FINDINGS: dict[str, tuple[str, ...]] = {
    "S0 sizes fitted to samples": (
        "end_to_end/test_piecewise_sizes.py::test_padding_to_a_least_length_is_right_or_refused",
        "end_to_end/test_found_sizes.py::test_a_model_is_right_at_every_size_that_is_tried",
    ),
    "S1 kept columns of what changes": (
        "end_to_end/test_streams_of_what_changes.py::test_what_changes_is_computed_in_each_run",
        "end_to_end/test_streams_of_what_changes.py::test_networks_that_were_found_are_right",
        "fuzz/test_streams.py::test_c_computes_the_same_runs",
    ),
    "S2 steps that are run backwards": (
        "end_to_end/test_streams_of_what_changes.py::test_new_frames_lie_over_the_window",
        "memory/test_store_order.py::test_kernels_run_backwards_leave_the_same_result",
    ),
    "S3 networks of equal graphs in torch.compile": (
        "frontends/torch/test_torch_backend_contract.py::test_modules_with_equal_graphs_have_their_own_weights",
        "frontends/torch/test_torch_backend_contract.py::test_weights_that_change_count",
    ),
    "S4 views of the caller's arrays": (
        "frontends/test_ownership.py::test_what_is_passed_may_change_afterwards",
        "frontends/test_ownership.py::test_a_program_that_was_compiled_verifies_after_its_module_was_trained",
    ),
    "S5 indices past the end of a state": (
        "end_to_end/test_index_bounds.py::test_positions_behind_a_cache_of_torch_change_nothing",
        "end_to_end/test_index_bounds.py::test_each_index_into_a_state_of_onnx_is_checked",
        "end_to_end/test_index_bounds.py::test_each_token_is_checked",
    ),
    "S6 devices beside states and unused inputs": (
        "end_to_end/test_found_files.py::test_devices_are_placed_by_cost",
        "end_to_end/test_random_devices.py::test_devices_give_the_numbers_of_one",
    ),
    "S7 headers and copies of devices": (
        "end_to_end/test_devices.py::test_kernels_are_compiled_for_the_target_of_their_device",
        "end_to_end/test_sizes_with_devices.py::test_three_devices_take_any_size",
    ),
    "S8 hostile templates, and GGUF in every command": (
        "end_to_end/test_found_files.py::test_a_hostile_template_is_told_in_one_line",
        "end_to_end/test_found_files.py::test_inspect_reads_gguf",
        "chat/test_rendering.py::test_other_things_are_refused_in_one_line",
    ),
    "S9 a scalar input of a wheel": (
        "packagings/test_packagings.py::test_a_wheel_takes_and_gives_arrays_of_any_size_up_to_the_bounds",
    ),
    "S10 schedules of tensor expressions": (
        "tvm/te/test_random_schedules.py::test_a_schedule_that_is_accepted_compiles",
        "fuzz/test_expressions.py::test_random_expressions_agree_with_numpy",
    ),
    "S11 classes of exceptions": ("test_exceptions.py::test_every_exception_is_of_a_documented_class",),
    "S12 what engines dispute": (
        "end_to_end/test_disputes.py::test_a_resized_image_has_the_size_that_the_scale_gives_exactly",
        "end_to_end/test_disputes.py::test_output_padding_is_no_part_of_a_size_that_auto_pad_fixes",
        "end_to_end/test_disputes.py::test_quantised_sums_differ_from_the_real_number_at_ties_only",
    ),
    "F1 ordinary models whose sizes vary": (
        "end_to_end/test_found_sizes.py::test_a_model_is_right_at_every_size_that_is_tried",
        "end_to_end/test_found_sizes.py::test_a_length_of_the_run_is_bounded_by_the_user",
    ),
    "F2 sizes of torch.export": (
        "frontends/torch/test_sizes.py::test_bounds_of_an_export_are_those_of_the_tree",
        "frontends/torch/test_random_lengths.py::test_a_program_is_right_at_every_size",
        "frontends/torch/test_sizes.py::test_positions_from_either_end_and_roots_are_those_of_the_run",
    ),
    "F3 speech whose length the run computes": (
        "end_to_end/test_speech_lengths.py::test_durations_decide_the_length_of_the_output",
        "end_to_end/test_speech_lengths.py::test_without_a_bound_the_range_says_how_to_give_one",
        "end_to_end/test_speech_lengths.py::test_a_run_behind_the_bound_fails",
    ),
    "F4 windows of attention in GGUF": (
        "frontends/gguf/test_architectures.py::test_some_tokens_of_a_run_attend_to_windows",
        "frontends/gguf/test_architectures.py::test_gemma_attends_to_windows_in_some_layers",
    ),
    "P1 outputs that are dataclasses": (
        "frontends/torch/test_structures.py::test_outputs_are_named_after_attributes",
        "frontends/torch/test_structures.py::test_dataclasses_in_dataclasses_are_taken_apart",
    ),
    "P2 bfloat16, autocast and gradients": (
        "frontends/torch/test_torch_backend_contract.py::test_a_module_of_bfloat16",
        "frontends/torch/test_torch_backend_contract.py::test_autocast_around_and_without",
        "frontends/torch/test_torch_backend_contract.py::test_gradients_are_those_of_torch_with_one_warning",
        "frontends/torch/test_torch_backend_contract.py::test_whatever_fails_torch_runs_the_graph",
    ),
    "P3 boxes of torchvision": (
        "frontends/torch/test_vision.py::test_nms_chooses_the_boxes_of_torch",
        "frontends/torch/test_vision.py::test_regions_are_pooled_as_by_torch",
    ),
    "P4 operators of torch": (
        "frontends/torch/test_search.py::test_the_c_gives_what_torch_gives",
        "frontends/torch/test_systems.py::test_systems_are_solved_as_by_torch",
        "frontends/torch/test_random.py::test_numbers_have_their_distribution_and_differ_from_run_to_run",
        "frontends/torch/test_torchao.py::test_c_of_dynamic_programs_gives_what_torch_gives",
        "frontends/torch/test_bincount.py::test_a_bound_of_the_user_is_the_room",
    ),
    "P5 scans written out": ("end_to_end/test_linear_work.py::test_twice_the_steps_are_about_twice_the_work",),
    "P6 chat templates of real files": (
        "chat/test_rendering.py::test_conversations_are_rendered_in_order",
        "chat/test_turns.py::test_turns_are_what_a_template_writes_around_texts",
    ),
    "P7 words and tensor types of new files": (
        "frontends/gguf/test_encoding.py::test_files_name_their_rules",
        "frontends/gguf/test_encoding.py::test_words_are_those_of_the_regular_expressions",
        "frontends/gguf/test_k_quants.py::test_blocks_are_read_as_the_package_reads_them",
    ),
    "P8 caches that are objects": (
        "frontends/torch/test_structures.py::test_a_cache_that_is_an_object_is_refused_with_the_exporter_that_works",
    ),
    "P9 derived sizes": ("frontends/torch/test_sizes.py::test_a_multiple_goes_by_steps_in_a_file",),
    "P10 conversations": (
        "chat/test_session.py::test_a_conversation_longer_than_the_cache_drops_its_oldest_turns",
        "chat/test_session.py::test_a_signal_ends_the_answer_and_not_the_program",
        "frontends/gguf/test_end_tokens.py::test_ends_are_those_that_are_named_and_those_of_known_texts",
        "frontends/gguf/test_tokenizer.py::test_a_template_that_cannot_be_rendered_leaves_the_tokeniser",
    ),
    "P11 layers that stay in floats": (
        "quantization/test_programs.py::test_weights_that_are_computed_from_parameters_are_folded",
        "quantization/test_programs.py::test_what_stays_in_floats_has_a_reason",
    ),
}
"""The tests of each finding, as file and function."""


@cache
def functions_of(file: str) -> set[str]:
    module = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in module.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("finding", FINDINGS)
def test_each_finding_has_tests(finding: str):
    assert FINDINGS[finding]
    for test in FINDINGS[finding]:
        file, _, function = test.partition("::")
        assert function in functions_of(file), test
