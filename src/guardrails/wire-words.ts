const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/*
 * Members of neutral values and wire objects that belong to the formats. All others are read, and may be cut: a missing
 * name makes filters read too much, never too little.
 */

/** Names of members, of neutral values and on the wire, that contain no text of a caller. */
export const FORMAT_KEYS: ReadonlySet<string> = words(
  'type text role content origin vendor value citations cacheMarker cache_control ttl id name input toolUseId tool_use_id isError is_error ' +
    'thinking signature mark data source mediaType media_type url title context wantsCitations enabled toolName tool_name opaque blocks ' +
    'fileId file_id detail format description inputSchema input_schema strict advisor parameters schema encrypted_content ' +
    'inWords isScan isForAll isOfFile pages isSummary provider caller budgetTokens budget_tokens display effort task_budget total remaining ' +
    'seed logitBias temperature topP topK topA minP frequencyPenalty presencePenalty repetitionPenalty logprobs topLogprobs ' +
    'disable_parallel_tool_use server_name user_id',
);

/** Fixed values that the wire formats define for the keys in `WORD_KEYS`. */
export const FORMAT_WORDS: ReadonlySet<string> = words(
  'text image document audio video search-result search_result tool-use tool_use tool-result tool_result tool-reference tool_reference ' +
    'thinking redacted-thinking redacted_thinking opaque user assistant system tool anthropic openai ephemeral 5m 1h base64 url file blocks content ' +
    'text/plain application/pdf image/png image/jpeg image/gif image/webp function vendor service custom auto any none enabled disabled adaptive ' +
    'json-schema json_schema json-object json_object object string number integer boolean array null low medium high xhigh max minimal',
);
export const WORD_KEYS: ReadonlySet<string> = words('type role vendor media_type mediaType ttl effort');

/** Figures that tune a provider's answer: no model reads them. */
export const PARAMETERS: ReadonlySet<string> = words(
  'budgetTokens budget_tokens total remaining temperature topP topK topA minP frequencyPenalty presencePenalty repetitionPenalty topLogprobs max_uses pages',
);

/** Names, marks and addresses: a cut one would be a different one. */
export const FIXED: ReadonlySet<string> = words(
  'type id name toolUseId tool_use_id toolName tool_name server_name file_id fileId container_id container url media_type mediaType signature ' +
    'mark error_code cache_control advisor',
);

/** Members of a schema that are constraints on arguments. */
export const SCHEMA_FIXED: ReadonlySet<string> = words(
  'type $schema $id $ref $anchor $defs format pattern required enum const patternProperties',
);
export const SCHEMA_KEYS: ReadonlySet<string> = words(
  'type properties required items description title enum const default examples additionalProperties $schema $id $ref $anchor $defs definitions ' +
    'format pattern patternProperties anyOf oneOf allOf not minimum maximum minLength maxLength minItems maxItems uniqueItems nullable',
);
/** Members of a schema that are maps from the caller's names to schemas. */
export const SCHEMA_MAPS: ReadonlySet<string> = words(
  'properties $defs definitions patternProperties dependentSchemas',
);

/** Members that contain a schema. */
export const SCHEMAS: ReadonlySet<string> = words('inputSchema input_schema schema parameters');

/** Filled freely by the caller or a tool: no member belongs to a format, and all texts can be cut. */
export const FREE: ReadonlySet<string> = words('input arguments input_examples default examples');
/** Members of `FREE` that may be JSON in a text. */
export const ARGUMENTS: ReadonlySet<string> = words('input arguments');

/** Bytes, and texts that only their maker can open. */
export const CIPHERS: ReadonlySet<string> = words('data signature encrypted_content encrypted_index encrypted_stdout');
/** Types whose `data` only their maker can open. */
export const SEALED_TYPES: ReadonlySet<unknown> = words('redacted-thinking redacted_thinking reasoning.encrypted');
/** An object with one of these has bytes as `data`. */
export const BYTES_NAMES: readonly string[] = ['mediaType', 'media_type', 'mime_type', 'mimeType', 'format'];
