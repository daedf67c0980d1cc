import { names, type SqlDialect } from '../dialect.ts';

/**
 * SQLite 3.40 to 3.53. Contains the functions of these pages of its documentation: lang_corefunc, lang_datefunc,
 * lang_aggfunc, lang_mathfunc, windowfunctions, json1 and the auxiliary functions of fts5. These functions are left
 * out: load_extension, sqlite_log, and functions of its command-line program only (readfile, writefile, edit).
 */
export const sqlite: SqlDialect = {
  name: 'sqlite',
  lexis: {
    dashes: 'always',
    backslash: 'ordinary',
    backticks: true,
    dollarQuotes: false,
    dollarInWords: true,
    prefixes: /^x$/i,
    parameter: /\?\d*|[:$][a-z_]\w*/iy,
    operators: '+-*/%=<>!|&~',
    // False, because SQLite uses brackets to quote names.
    brackets: false,
    braces: false,
  },
  functions: names(
    // Aggregates and windows
    'avg count group_concat max median min percentile percentile_cont percentile_disc string_agg sum total',
    'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number',
    // Core functions
    'abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr last_insert_rowid length',
    'like likelihood likely lower ltrim nullif octet_length printf quote random randomblob replace round rtrim',
    'sign soundex sqlite_version substr substring total_changes trim typeof unhex unicode unistr unlikely',
    'upper zeroblob',
    // Mathematics
    'acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi',
    'pow power radians sin sinh sqrt tan tanh trunc',
    // Times
    'current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch',
    // JSON
    'json json_array json_array_length json_error_position json_extract json_group_array json_group_object',
    'json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type',
    'json_valid jsonb jsonb_array jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object',
    'jsonb_patch jsonb_remove jsonb_replace jsonb_set',
    // Full text search
    'bm25 highlight snippet match',
  ),
  tableFunctions: names(
    'generate_series json_each json_tree jsonb_each jsonb_tree pragma_foreign_key_list pragma_index_info',
    'pragma_index_list pragma_index_xinfo pragma_table_info pragma_table_list pragma_table_xinfo',
  ),
  relations: {
    systemSchemas: names(),
    systemPrefixes: ['sqlite_', 'pragma_'],
    known: names(
      'sqlite_master sqlite_schema sqlite_sequence sqlite_temp_master sqlite_temp_schema sqlite_stat1',
    ),
    // Matches tables of extensions that read files. A hidden column of such a table names the file.
    refused: /(?:^|\.)(?:fsdir|zipfile|csv|vsv|fileio|lsdir|readfile|completion)$/,
    parts: 2,
  },
  show: names(),
  pragmas: names(
    'foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo database_list',
    'collation_list compile_options',
  ),
  fromFirst: false,
  colonEquals: false,
  inReadsTables: false,
  fieldsCall: false,
};
