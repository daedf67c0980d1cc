/**
 * The functions that MySQL 8.4 and MariaDB 10.11 share, from the chapters "Functions and Operators" of their manuals.
 * These functions are left out: functions that wait or lock (sleep, benchmark, get_lock), read files (load_file), or
 * keep a value for the session (last_insert_id).
 */
export const MYSQL_FUNCTIONS: readonly string[] = [
  // Aggregates and windows
  'avg bit_and bit_or bit_xor count group_concat json_arrayagg json_objectagg max min std stddev stddev_pop',
  'stddev_samp sum var_pop var_samp variance cume_dist dense_rank first_value lag last_value lead nth_value',
  'ntile percent_rank rank row_number',
  // Conditions
  'greatest if ifnull interval isnull least strcmp values',
  // Mathematics
  'abs acos asin atan atan2 bit_count ceil ceiling conv cos cot crc32 degrees exp floor ln log log10 log2 mod',
  'pi pow power radians rand round sign sin sqrt tan truncate',
  // Text
  'ascii bin bit_length char char_length character_length charset coercibility collation compress concat',
  'concat_ws convert elt export_set field find_in_set format from_base64 hex insert instr lcase left length',
  'locate lower lpad ltrim make_set match mid oct octet_length ord position quote regexp_instr regexp_replace',
  'regexp_substr repeat replace reverse right rpad rtrim soundex space substr substring substring_index',
  'to_base64 trim ucase uncompress uncompressed_length unhex upper weight_string',
  'md5 sha sha1 sha2 aes_decrypt aes_encrypt',
  // Types in CONVERT that look like calls
  'binary decimal nchar signed unsigned',
  // Times
  'adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add',
  'date_format date_sub datediff datetime day dayname dayofmonth dayofweek dayofyear from_days from_unixtime',
  'get_format hour last_day localtime localtimestamp makedate maketime microsecond minute month monthname now',
  'period_add period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time time_format',
  'time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date',
  'utc_time utc_timestamp week weekday weekofyear year yearweek',
  // JSON and XML
  'extractvalue json_array json_array_append json_array_insert json_contains json_contains_path json_depth',
  'json_extract json_insert json_keys json_length json_merge_patch json_merge_preserve json_object',
  'json_overlaps json_pretty json_quote json_remove json_replace json_search json_set json_type json_unquote',
  'json_valid json_value updatexml',
  // Networks, and other functions
  'inet6_aton inet6_ntoa inet_aton inet_ntoa is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 uuid',
  // Functions about the session and the schema
  'connection_id current_user database found_rows row_count schema session_user system_user user version',
];

/** Schemas with accounts and with the server's own procedures. */
export const MYSQL_SYSTEM_SCHEMAS = 'mysql performance_schema sys';

export const MYSQL_SHOW =
  'full extended tables databases schemas columns fields index indexes keys table view status global session ' +
  'variables warnings errors engines collation character set charset triggers create database';
