/** Words that change something, or may, wherever they stand: SQL Server needs no semicolon between statements. */
const WRITING = new Set([
  'insert',
  'update',
  'delete',
  'merge',
  'replace',
  'truncate',
  'drop',
  'alter',
  'create',
  'rename',
  'grant',
  'revoke',
  'deny',
  'into',
  'set',
  'exec',
  'execute',
  'declare',
  'begin',
  'backup',
  'restore',
  'kill',
  'shutdown',
  'reconfigure',
  'waitfor',
  'dbcc',
  'uescape',
]);

/** Of those, the ones that are also functions without effects when a parenthesis follows: `replace(a, b, c)`. */
const HARMLESS_CALLS = new Set(['insert', 'replace', 'truncate']);

/** Functions that read or write files, reach other hosts, run code, change state, or only burn time. */
const FORBIDDEN_CALLS = new Set([
  'load_file',
  'load_extension',
  'readfile',
  'writefile',
  'edit',
  'fts3_tokenizer',
  'sleep',
  'benchmark',
  'get_lock',
  'release_lock',
  'release_all_locks',
  'sys_exec',
  'sys_eval',
  'set_config',
  'setval',
  'nextval',
  'lowrite',
  'loread',
  'query_to_xml',
  'query_to_xml_and_xmlschema',
  'cursor_to_xml',
  'table_to_xml',
  'schema_to_xml',
  'database_to_xml',
  'ts_stat',
  'xpath_table',
  'crosstab',
  'openrowset',
  'openquery',
  'opendatasource',
  'openxml',
  'httpuritype',
  'file',
  'url',
  's3',
  'hdfs',
  'remote',
  'remotesecure',
  'cluster',
  'mysql',
  'postgresql',
  'sqlite',
  'mongodb',
  'jdbc',
  'odbc',
  'executable',
]);
const FORBIDDEN_CALL_PREFIXES = [
  'pg_read_',
  'pg_ls_',
  'pg_stat_file',
  'pg_sleep',
  'pg_advisory_',
  'pg_try_advisory_',
  'pg_terminate_',
  'pg_cancel_',
  'pg_reload_',
  'pg_rotate_',
  'pg_switch_',
  'pg_create_',
  'pg_drop_',
  'pg_logical_',
  'pg_replication_',
  'pg_start_',
  'pg_stop_',
  'pg_backup_',
  'pg_promote',
  'pg_file_',
  'pg_logdir_',
  'pg_notify',
  'pg_stat_reset',
  'pg_import_',
  'lo_',
  'dblink',
  'read_csv',
  'read_json',
  'read_parquet',
  'read_text',
  'read_blob',
  'azureblobstorage',
];
/** Packages and procedures that are dangerous in any position. */
const FORBIDDEN_PREFIXES = ['xp_', 'dbms_', 'utl_', 'sp_oa', 'sp_execute', 'sp_configure'];

/** Says whether an unquoted word may change something; `called`: a parenthesis follows. */
export function isWritingWord(word: string, called: boolean): boolean {
  return WRITING.has(word) && !(called && HARMLESS_CALLS.has(word));
}

/**
 * What forbids a name, in words of this list and never in the name's own; null when nothing does. Most are forbidden
 * where a parenthesis follows (`called`). A quoted name can hide its letters behind a backslash, so a called one may
 * hold none.
 */
export function whatForbids(name: string, called: boolean): string | null {
  const prefixes = called ? [...FORBIDDEN_PREFIXES, ...FORBIDDEN_CALL_PREFIXES] : FORBIDDEN_PREFIXES;
  const prefix = prefixes.find((known) => name.startsWith(known));
  if (prefix !== undefined) return `"${prefix}…"`;
  if (!called) return null;
  if (FORBIDDEN_CALLS.has(name)) return `"${name}"`;
  return name.includes('\\') ? 'a called name with a backslash' : null;
}
