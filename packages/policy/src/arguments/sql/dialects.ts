import type { SqlDialect } from './dialect.ts';
import { clickhouse } from './dialects/clickhouse.ts';
import { duckdb } from './dialects/duckdb.ts';
import { mariadb } from './dialects/mariadb.ts';
import { mysql } from './dialects/mysql.ts';
import { portable } from './dialects/portable.ts';
import { postgres } from './dialects/postgres.ts';
import { sqlite } from './dialects/sqlite.ts';

/** The dialects that a document may name. */
export const SQL_DIALECTS: ReadonlyMap<string, SqlDialect> = new Map(
  [postgres, mysql, mariadb, sqlite, duckdb, clickhouse].map((dialect) => [dialect.name, dialect]),
);

/** The dialect for tools that name no dialect: the SQL that all databases have in common. */
export const EVERY_DIALECT: SqlDialect = portable;
