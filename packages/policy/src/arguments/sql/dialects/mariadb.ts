import type { SqlDialect } from '../dialect.ts';
import { names } from '../dialect.ts';
import { mysql } from './mysql.ts';
import { MYSQL_FUNCTIONS } from './mysql-functions.ts';

/** MariaDB 10.11, as its manual describes it: the functions that it shares with MySQL, and its own functions. */
export const mariadb: SqlDialect = {
  ...mysql,
  name: 'mariadb',
  functions: names(
    ...MYSQL_FUNCTIONS,
    'add_months chr column_check column_exists column_get column_json column_list crc32c json_compact',
    'json_detailed json_equals json_exists json_loose json_normalize json_query lengthb median',
    'natural_sort_key nvl nvl2 percentile_cont percentile_disc random_bytes sformat sys_guid to_char',
  ),
};
