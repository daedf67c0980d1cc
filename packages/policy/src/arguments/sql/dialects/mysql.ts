import { names, type SqlDialect } from '../dialect.ts';
import { MYSQL_FUNCTIONS, MYSQL_SHOW, MYSQL_SYSTEM_SCHEMAS } from './mysql-functions.ts';

/** MySQL 8.4, as its manual describes it. It was tried on MariaDB only, because no MySQL server was available. */
export const mysql: SqlDialect = {
  name: 'mysql',
  lexis: {
    dashes: 'before a blank',
    // The meaning of a backslash depends on the setting NO_BACKSLASH_ESCAPES.
    backslash: 'differs',
    backticks: true,
    dollarQuotes: false,
    dollarInWords: true,
    prefixes: /^(?:[bxn]|_[a-z0-9]+)$/i,
    parameter: /\?/y,
    operators: '+-*/%=<>!|&^~',
    brackets: false,
    braces: false,
  },
  functions: names(
    ...MYSQL_FUNCTIONS,
    'any_value bin_to_uuid grouping is_uuid json_schema_valid json_schema_validation_report',
    'json_storage_free json_storage_size regexp_like uuid_to_bin format_bytes format_pico_time member',
  ),
  tableFunctions: names('json_table'),
  relations: {
    systemSchemas: names(MYSQL_SYSTEM_SCHEMAS),
    systemPrefixes: [],
    known: names(),
    refused: null,
    parts: 2,
  },
  show: names(MYSQL_SHOW),
  pragmas: names(),
  fromFirst: false,
  colonEquals: false,
  inReadsTables: false,
  fieldsCall: false,
};
