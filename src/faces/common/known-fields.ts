/**
 * Top-level fields of the faces, of other vendor formats and of servers for open models: none of them is a typing
 * error.
 */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  `
  model messages models provider plugins route session_id web_search_options stop_server_tools_when max_tool_calls trace
  cache_control user metadata stream stream_options max_completion_tokens max_tokens temperature top_p top_k top_a min_p
  repetition_penalty frequency_penalty presence_penalty seed stop logit_bias logprobs top_logprobs n response_format
  reasoning reasoning_effort include_reasoning verbosity service_tier speed inference_geo modalities image_config tools
  tool_choice parallel_tool_calls prompt_cache_key preset preset_variables transforms usage debug functions function_call
  fallbacks system stop_sequences thinking output_config context_management
  audio background billing_policy chat_template_args chat_template_kwargs citation_options clear_thinking compaction container
  context_length_exceeded_behavior conversation data_sources diagnostics disable_reasoning disable_tool_validation do_sample
  documents enable_thinking extra_body fallback_credit_token ignore_eos mcp_servers mirostat_lr mirostat_target output_format
  perf_metrics_in_response prediction previous_response_id prompt prompt_cache_isolation_key prompt_cache_max_len
  prompt_cache_options prompt_cache_retention prompt_mode prompt_truncate_len random_seed raw_mode reasoning_budget
  reasoning_format reasoning_split request_id safe_prompt safeguards safety_identifier safety_mode separate_reasoning store
  strict_tools structured_outputs thinking_budget thread tool_resources tool_stream typical_p user_id
  dimensions encoding_format input_type query top_n
  input instructions max_output_tokens include text truncation betas extra_headers extra_query timeout moderation
  best_of echo suffix min_tokens max_new_tokens max_length min_length length_penalty early_stopping use_beam_search
  num_beams stop_token_ids bad_words allowed_token_ids skip_special_tokens spaces_between_special_tokens
  add_generation_prompt continue_final_message guided_json guided_regex guided_choice guided_grammar
  guided_decoding_backend logits_processors return_token_ids priority top_n_tokens watermark
  options format template raw keep_alive num_ctx num_keep num_predict repeat_penalty repeat_last_n penalize_nl mirostat
  mirostat_tau mirostat_eta tfs_z typical xtc_probability xtc_threshold dry_multiplier dry_base dry_allowed_length
  min_keep n_predict n_probs n_keep cache_prompt id_slot grammar json_schema samplers think
  `
    .trim()
    .split(/\s+/),
);
