import { names, type SqlDialect } from '../dialect.ts';
import { clickhouse } from './clickhouse.ts';
import { duckdb } from './duckdb.ts';
import { mariadb } from './mariadb.ts';
import { mysql } from './mysql.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

const ALL = [postgres, mysql, mariadb, sqlite, duckdb, clickhouse];

/**
 * The part of SQL that every database reads in the same way, for tools that name no dialect. Contains the functions
 * of standard SQL (ISO 9075), and functions that most databases add. Some databases lack some of these functions, but
 * no database gives them a side effect.
 */
export const portable: SqlDialect = {
  name: 'all dialects',
  lexis: {
    dashes: 'before a blank',
    backslash: 'differs',
    backticks: false,
    dollarQuotes: false,
    dollarInWords: false,
    prefixes: /^n$/i,
    parameter: /\?|\$\d+/y,
    operators: '+-*/%=<>!|',
    brackets: false,
    braces: false,
  },
  functions: names(
    'avg count max min sum stddev stddev_pop stddev_samp var_pop var_samp variance string_agg group_concat',
    'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number grouping',
    'abs acos asin atan atan2 ceil ceiling cos degrees exp floor ln log10 mod pi power radians round sign sin',
    'sqrt tan',
    'ascii char_length character_length concat concat_ws left length lower lpad ltrim octet_length position',
    'repeat replace reverse right rpad rtrim substr substring trim upper',
    'current_date current_time current_timestamp date now year month day hour minute second',
    'greatest ifnull least json_array json_extract json_object json_value',
  ),
  tableFunctions: names(),
  relations: {
    systemSchemas: names(...ALL.flatMap(({ relations }) => [...relations.systemSchemas])),
    systemPrefixes: ALL.flatMap(({ relations }) => relations.systemPrefixes),
    known: names(),
    refused: new RegExp(
      ALL.flatMap(({ relations: { refused } }) => (refused === null ? [] : [refused.source])).join('|'),
    ),
    parts: 3,
  },
  show: mysql.show,
  pragmas: names(),
  fromFirst: false,
  colonEquals: false,
  inReadsTables: true,
  fieldsCall: true,
};
