import { names, type SqlDialect } from '../dialect.ts';

/**
 * PostgreSQL. Contains the functions of chapter 9 of its documentation (versions 14 to 18) that pg_proc lists as
 * immutable or stable. These volatile functions are included, because they store nothing: random, clock_timestamp,
 * timeofday, gen_random_uuid, uuidv4, uuidv7, and functions that return the size of a relation. These stable
 * functions are left out: functions that assign a transaction id (txid_current), or run a text as a query
 * (query_to_xml, ts_rewrite, ts_stat).
 */
export const postgres: SqlDialect = {
  name: 'postgres',
  lexis: {
    dashes: 'always',
    // The meaning of a backslash depends on the setting standard_conforming_strings.
    backslash: 'differs',
    backticks: false,
    dollarQuotes: true,
    dollarInWords: true,
    prefixes: /^[ebxn]$/i,
    parameter: /\$\d+/y,
    operators: '+-*/%=<>!|&^~#@?',
    brackets: true,
    braces: false,
  },
  functions: names(
    // Aggregates and windows
    'any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp every',
    'grouping json_agg json_arrayagg json_object_agg json_objectagg jsonb_agg jsonb_object_agg max min mode',
    'percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count',
    'regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg',
    'sum variance var_pop var_samp xmlagg cume_dist dense_rank first_value lag last_value lead nth_value ntile',
    'percent_rank rank row_number',
    // Conditions
    'greatest least num_nonnulls num_nulls',
    // Mathematics
    'abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot',
    'cotd degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale mod pi pow power',
    'radians random random_normal round scale sign sin sind sinh sqrt tan tand tanh trim_scale trunc',
    'width_bucket',
    // Text
    'ascii bit_length btrim char_length character_length chr concat concat_ws format initcap left length lower',
    'lpad ltrim md5 normalize octet_length overlay parse_ident position quote_ident quote_literal',
    'quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace',
    'regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim',
    'split_part starts_with string_to_array string_to_table strpos substr substring to_ascii to_bin to_hex',
    'to_oct translate trim unicode_assigned unistr upper casefold crc32 crc32c',
    // Binary text and bits
    'bit_count convert convert_from convert_to decode encode get_bit get_byte set_bit set_byte sha224 sha256',
    'sha384 sha512',
    // Formats and times
    'to_char to_date to_number to_timestamp age clock_timestamp date_add date_bin date_part date_subtract',
    'date_trunc isfinite justify_days justify_hours justify_interval make_date make_interval make_time',
    'make_timestamp make_timestamptz now statement_timestamp timeofday transaction_timestamp timezone',
    'current_date current_time current_timestamp localtime localtimestamp overlaps',
    // Casts that look like calls
    'bool box circle date float4 float8 int2 int4 int8 interval line lseg numeric path point polygon text time',
    'timestamp timestamptz timetz char varchar bpchar bit',
    // Geometry and networks
    'area center diagonal diameter height isclosed isopen npoints pclose popen radius slope width bound_box',
    'abbrev broadcast family host hostmask inet_merge inet_same_family masklen netmask network set_masklen trunc',
    // Arrays and ranges
    'array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position',
    'array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle',
    'array_sort array_to_string array_upper cardinality trim_array unnest isempty lower_inc lower_inf',
    'range_merge upper_inc upper_inf multirange int4range int8range numrange tsrange tstzrange daterange',
    'int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange',
    // JSON and XML
    'array_to_json json_array json_array_elements json_array_elements_text json_array_length json_build_array',
    'json_build_object json_each json_each_text json_exists json_extract_path json_extract_path_text',
    'json_object json_object_keys json_query json_scalar json_serialize json_strip_nulls json_typeof json_value',
    'jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object',
    'jsonb_each jsonb_each_text jsonb_exists jsonb_extract_path jsonb_extract_path_text jsonb_insert',
    'jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match',
    'jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz',
    'jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax',
    'jsonb_strip_nulls jsonb_typeof row_to_json to_json to_jsonb xml_is_well_formed xmlcomment xmlconcat',
    'xpath xpath_exists',
    // Text search
    'array_to_tsvector get_current_ts_config json_to_tsvector jsonb_to_tsvector numnode phraseto_tsquery',
    'plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_debug ts_delete ts_filter ts_headline',
    'ts_lexize ts_rank ts_rank_cd tsquery_phrase tsvector_to_array websearch_to_tsquery',
    // Other functions
    'gen_random_uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 generate_series',
    'generate_subscripts',
    // Functions about the schema and its sizes
    'col_description current_database current_schema current_schemas format_type has_any_column_privilege',
    'has_column_privilege has_database_privilege has_schema_privilege has_table_privilege obj_description',
    'pg_column_size pg_database_size pg_get_constraintdef pg_get_expr pg_get_indexdef pg_get_partkeydef',
    'pg_get_serial_sequence pg_get_userbyid pg_get_viewdef pg_indexes_size pg_relation_size pg_size_bytes',
    'pg_size_pretty pg_table_is_visible pg_table_size pg_total_relation_size pg_type_is_visible pg_typeof',
    'shobj_description to_regclass to_regnamespace to_regtype version',
  ),
  tableFunctions: names(
    'generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text',
    'json_object_keys json_to_record json_to_recordset jsonb_array_elements jsonb_array_elements_text',
    'jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_query jsonb_to_record jsonb_to_recordset',
    'regexp_matches regexp_split_to_table string_to_table unnest',
  ),
  relations: {
    systemSchemas: names('pg_catalog pg_toast'),
    systemPrefixes: ['pg_'],
    known: names(
      'pg_am pg_attrdef pg_attribute pg_class pg_collation pg_constraint pg_database pg_depend pg_description',
      'pg_enum pg_extension pg_index pg_indexes pg_inherits pg_matviews pg_namespace pg_operator',
      'pg_partitioned_table pg_policies pg_range pg_sequences pg_stat_all_indexes pg_stat_all_tables',
      'pg_stat_user_indexes pg_stat_user_tables pg_statio_user_indexes pg_statio_user_tables pg_stats',
      'pg_tables pg_tablespace pg_trigger pg_type pg_views',
    ),
    refused: null,
    parts: 3,
  },
  show: null,
  pragmas: names(),
  fromFirst: false,
  colonEquals: true,
  inReadsTables: false,
  fieldsCall: true,
};
