import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SqlDialect } from './dialect.ts';
import { EVERY_DIALECT, SQL_DIALECTS } from './dialects.ts';
import { whyNotReadOnly } from './reading-statement.ts';
import { sqlTokens } from './tokens.ts';

const ALL = [EVERY_DIALECT, ...SQL_DIALECTS.values()];
const why = (sql: string) => whyNotReadOnly(sql, EVERY_DIALECT);

function dialect(name: string): SqlDialect {
  const found = SQL_DIALECTS.get(name);
  if (found === undefined) throw new Error(`${name} is no dialect`);
  return found;
}

const READS_IN_EVERY_DIALECT = [
  'SELECT 1',
  'select 1;',
  ' select 1 ; ',
  'select 1; -- done',
  '(select 1) union (select 2)',
  '((select 1) union (select 2)) order by 1',
  'select ((select 1) union (select 2))',
  'select * from ((select 1) union all (select 2)) x',
  'select updated_at, deleted, inserted_at, dropped, created from t',
  'select * from t where a = 1 order by b limit 5',
  'select a, b c, d as e, f as "g h" from t as u, v w',
  'select t.delete, t.into, t.* from t',
  'with x as (select 1) select * from x',
  'WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM x) SELECT * FROM x',
  "select 'drop table x; delete from y' as text",
  "select 'it''s; truncate'",
  'select "delete" from "update"',
  "select 'a -- b', '/* c */', '#'",
  'select /* a comment */ 1 -- another\n from t',
  'select 1 -- drop table x',
  'select 1 -- drop table x\r\nfrom t',
  'select 1 /* ; delete from t */',
  'select /* a\n   longer comment */ 1',
  'select "日本", ñandú from t',
  'select 1.5e10, .5, 0xff, 1. from t',
  "select a::int, b->>'c', d || e from t",
  'select count(*), count(distinct a), sum(a * 2) from t group by b having count(*) > 1',
  "select date '2026-01-01', interval '1 day'",
  'select case when a then 1 else 2 end, case a when 1 then 2 end from t',
  'select cast(a as decimal(10, 2)), cast(b as double precision) from t',
  'select a from t where b in (1, 2) and c not in (select d from u) and e between 1 and 2',
  "select a from t where b like 'x%' and c is not null and not d and exists (select 1)",
  'select a from t left outer join u on t.a = u.a inner join v using (a) cross join w natural join x',
  'select rank() over (partition by a order by b desc nulls last) from t',
  'select sum(a) over (order by b rows between 1 preceding and current row) from t',
  'select lag(a, 1) over w from t window w as (partition by b)',
  'select * from files, url where file = url.remote',
  'select * from (values (1, 2), (3, 4)) as v(a, b)',
  'values (1), (2)',
  'explain select 1',
  'EXPLAIN ANALYZE SELECT 1',
  'explain (analyze, verbose) select * from t',
  'describe t',
  'desc t',
  "select '\\\\' , ';'",
  'select a from b.c',
  'select * from (t join u on t.a = u.a) left join (v w cross join x y) on true',
  'select * from (t)',
  "select a 'b' from t",
];
const READS_IN_ONE: readonly [dialect: string, sql: string][] = [
  ['postgres', "select a[1], m['key'], array[1, 2], '{1,2}'::int[] from t"],
  ['postgres', "select E'a\\\\', $1 from t"],
  ['postgres', "select extract(year from a), substring(a from 1 for 2), trim(both ' ' from a) from b.c.d"],
  ['postgres', "select position('a' in b) from t where a = any (array[1]) or b @@ to_tsquery('c')"],
  ['postgres', 'select $$drop table x$$, $tag$delete; from x$tag$'],
  ['postgres', 'select 1 --drop table x\n+ 1'],
  ['postgres', "select * from a where b @> '{}' and c ?| array['d'] and e ~* 'f' and g #>> '{h}' is null"],
  ['postgres', 'select distinct on (a) a, count(*) filter (where b) from t group by grouping sets ((a), ())'],
  ['postgres', 'select percentile_cont(0.5) within group (order by a) from t fetch first 5 rows only'],
  ['postgres', 'select * from unnest(array[1]) with ordinality as u(a, n), lateral (select n) l'],
  ['postgres', "select * from json_to_recordset('[]') as r(a int, b text)"],
  ['postgres', "select now() at time zone 'utc' - interval '1' day, pg_catalog.lower('A')"],
  ['postgres', 'select relname from pg_catalog.pg_class join pg_namespace n on n.oid = relnamespace'],
  ['postgres', 'show server_version'],
  ['postgres', 'select * from t tablesample system (10) repeatable (1)'],
  ['postgres', 'select "count(*)", "a.b", "a;b" from "Order Details"'],
  [
    'postgres',
    'select u.a, u.n, g.g, t.a from unnest(t.b) with ordinality as u(a, n), generate_series(1, 2) g',
  ],
  [
    'postgres',
    'select e.key, e.value, (jsonb_each(a)).key, (t).*, x.lower from t, jsonb_each(b) e, unnest(c) x',
  ],
  ['postgres', 'select t.pg_read_file, "unnest"."unnest" from t, unnest(a)'],
  ['mysql', 'select `a;b` from `t` use index (i) where `c` <=> 1 limit 5, 10'],
  ['mysql', "select date_sub(now(), interval 1 day), interval weekday(a) day + b, _utf8mb4'x' from t"],
  ['mysql', "select group_concat(distinct a order by b desc separator ', ') from t group by c with rollup"],
  ['mysql', "select * from t where match (a, b) against ('x' in boolean mode)"],
  ['mysql', "select * from json_table('[]', '$[*]' columns (a decimal(5, 2) path '$.a')) as j"],
  ['mysql', 'select cast(a as char character set utf8mb4) from t'],
  ['mysql', 'select cast(a as char(9) character set binary) from t'],
  ['mysql', "show full tables from d like 'a%'"],
  ['mysql', 'show create table t'],
  ['mysql', 'select replace(a, b, c), truncate(1.5, 1), insert(a, 1, 2, b), left(a, 1), if(a, b, c) from t'],
  ['mariadb', 'select percentile_cont(0.5) within group (order by a) over (partition by b) from t'],
  ['sqlite', "select * from t where a glob 'b*' and c is not d order by rowid limit 5"],
  ['sqlite', "select strftime('%Y', a), iif(b, 1, 2), x'ff', :p, $q from t, json_each(t.c) j"],
  ['sqlite', "select * from t where a like '50\\%' escape '\\'"],
  ['sqlite', 'pragma table_info(t)'],
  ['sqlite', "select * from pragma_table_info('t'), sqlite_master"],
  ['sqlite', 'explain query plan select 1'],
  ['duckdb', 'from t select a'],
  ['duckdb', 'from t'],
  ['duckdb', "select * exclude (a), [1, 2][1], {'a': 1}.a, list_transform(b, x -> x + 1) from t qualify c"],
  ['duckdb', 'select list_filter(b, lambda x: x > 1), a[1:2], columns(*) from t group by all order by all'],
  ['duckdb', 'select * from a asof join b on a.t >= b.t, unnest([1]) u(x), range(5) r'],
  ['duckdb', 'describe select 1'],
  ['duckdb', 'show t'],
  ['clickhouse', "select 'it\\'s', `a` from t final array join c as d prewhere b limit 1 by e format JSON"],
  ['clickhouse', 'with now() as m, (select 1) as one, x as (select 2) select m, one, * from x'],
  ['clickhouse', 'select quantile(0.5)(a), sumIf(a, b), uniqMergeIf(c, d), arrayMap(x -> x.1, e) from t'],
  ['clickhouse', 'select a from t sample 1/10 offset 1/2 order by b with fill from 1 to 5 step 1'],
  ['clickhouse', 'select * except (a) from t global any left join u using (a) group by b with totals'],
  ['clickhouse', 'explain indexes = 1, actions = 1 select {p:UInt8}'],
  ['clickhouse', 'select t.name, system.tables.name from system.tables t where t.uuid in (system.one)'],
  ['clickhouse', 'select number from numbers(10) union all select count() from system.tables'],
];

test.each(READS_IN_EVERY_DIALECT)('every dialect lets through %j', (sql) => {
  for (const one of ALL) expect([one.name, whyNotReadOnly(sql, one)]).toEqual([one.name, null]);
});

test.each(READS_IN_ONE)('%s lets through %j', (name, sql) => {
  expect(whyNotReadOnly(sql, dialect(name))).toBeNull();
});

test('refuses a semicolon before the end of a statement, beside any part or in place of it', () => {
  const statements = [
    ...READS_IN_EVERY_DIALECT.flatMap((sql) => ALL.map((one) => [one, sql] as const)),
    ...READS_IN_ONE.map(([name, sql]) => [dialect(name), sql] as const),
  ];
  for (const [one, sql] of statements) {
    const starts = sqlTokens(sql, one).map(({ at }) => at);
    for (const [at, start] of starts.slice(0, -1).entries()) {
      const before = sql.slice(0, start);
      for (const after of [sql.slice(start), sql.slice(starts[at + 1])])
        expect(
          whyNotReadOnly(`${before} ; ${after}`, one),
          `${one.name}: ${before} ; ${after}`,
        ).not.toBeNull();
    }
  }
});

describe('every dialect refuses', () => {
  test.each<[sql: string, why: RegExp]>([
    ['', /empty/],
    ['  -- nothing', /empty/],
    ['truncate t', /beginning/],
    ['TRUNCATE TABLE t', /beginning/],
    ['delete from t', /beginning/],
    ['hello', /beginning/],
    ["'select'", /beginning/],
    ['"select" 1', /beginning/],
    ["copy t to '/tmp/x'", /beginning/],
    ['set x = 1', /beginning/],
    ['begin', /beginning/],
    ['use x', /beginning/],
    ['call f()', /beginning/],
    ["attach database 'x' as y", /beginning/],
    ["load 'x'", /beginning/],
    ['; select 1', /beginning/],
    ['select 1; drop table x', /second/],
    ['select 1;;', /second/],
    ['select 1; select 2', /second/],
    ['select 1 ; -- a\n drop table x', /second/],
    ['select 1 from t;delete from t', /second/],
    ['show create table x; drop table x', /second|known/],
    ['select 1 drop table x', /known/],
    ['select 1 exec xp_cmdshell', /known/],
    ['select 1 waitfor delay x', /known/],
    ['select 1 shutdown', /known/],
    ['select 1 as a shutdown', /known/],
    ['select 1 from t shutdown', /known/],
    ['select 1 from t commit', /known/],
    ['select 1into outfile x', /goes on/],
    ['select (exec)', /known/],
    ['with x as (delete from t returning *) select * from x', /known/],
    ['with x as (select 1) delete from t', /known/],
    ['with x as (insert into t values (1)) select 1', /known/],
    ['with x as materialized (update t set a = 1 returning a) select a from x', /known/],
    ['with x as (select 1) merge into t', /known/],
    ['select * from (delete from t returning *) x', /known/],
    ['select * into t from s', /known/],
    ["select 1 into outfile '/tmp/x'", /known/],
    ["select 1 from t into dumpfile '/tmp/x'", /known/],
    ['SELECT 1 INTO/**/OUTFILE x', /known/],
    ['select * from t for update', /known/],
    ['select * from t for no key update', /known/],
    ['select * from t for share', /known/],
    ['select 1 from t lock in share mode', /known/],
    ['select 1 from t procedure analyse()', /known/],
    ['explain analyze delete from t', /known/],
    ['EXPLAIN (ANALYZE true) UPDATE t SET a = 1', /known/],
    ['explain analyse insert into t values (1)', /known/],
    ['explain for connection 5', /known/],
    ['desc update t set a = 1', /known/],
    ['show x create table y', /known/],
    ['select next value for s', /known/],
    ['select previous value for s', /known/],
    ['select s.nextval from dual', /sequence/],
    ["select nextval('s')", /function/],
    ["select pg_read_file('/x')", /function/],
    ['select pg_wal_replay_pause()', /function/],
    ['select pg_catalog.pg_sleep (10)', /function/],
    ['select "pg_read_file"(\'x\')', /function/],
    ['select "lower"(\'x\')', /function/],
    ["select public.lower('x')", /function/],
    ['select PG_SLEEP/**/(1)', /function/],
    ["select load_file('/etc/x')", /function/],
    ["select lo_import('/x')", /function/],
    ["select set_config('a', 'b', false)", /function/],
    ["select query_to_xml('delete from t', true, true, '')", /function/],
    ["select ts_rewrite('a'::tsquery, 'delete from t')", /function/],
    ['select txid_current()', /function/],
    ['select sleep(5)', /function/],
    ['select benchmark(1, 2)', /function/],
    ["select get_lock('a', 1)", /function/],
    ['select last_insert_id(5)', /function/],
    ["select readfile('/etc/passwd')", /function/],
    ["select writefile('/tmp/x', 'y')", /function/],
    ["select load_extension('x')", /function/],
    ["select getenv('HOME')", /function/],
    ["select file('x')", /function/],
    ['select my_function(1)', /function/],
    ['select count (my_function(1))', /function/],
    ['select (select (my_function(1)))', /function/],
    ['select a from t order by my_function(1)', /function/],
    ['select a from t where b = any (my_function(1))', /function/],
    ['select xp_cmdshell(1)', /function/],
    ['select utl_http.request(x)', /function/],
    ["select * from dblink('x', 'y')", /function in FROM/],
    ["select * from openrowset('x')", /function in FROM/],
    ["select * from url('http://evil.com')", /function in FROM/],
    ["select * from s3Cluster('c', 'x')", /function in FROM/],
    ["select * from remoteSecure('x', a, b)", /function in FROM/],
    ["select * from clusterAllReplicas('c', a)", /function in FROM/],
    ["select * from read_csv('/etc/passwd')", /function in FROM/],
    ["select * from t, read_text('/etc/passwd')", /function in FROM/],
    ["select * from t join glob('*') on 1 = 1", /function in FROM/],
    ["select * from query('select 1')", /function in FROM/],
    ["select * from '/etc/passwd'", /known/],
    ["select * from (summarize '/etc/passwd')", /known/],
    ["select * from (describe '/etc/passwd') x", /known/],
    ["select * from (table '/etc/passwd')", /known/],
    ['select * from (summarize "a.csv")', /known/],
    ['select * from (table secrets) x', /known/],
    ['select * from (odd secrets) x', /known/],
    ["select * from (odd 'a.csv' join t on a) x", /known/],
    ['select * from (odd "a.csv" join t on a) x', /known/],
    ["select * from (pivot 'a.csv' on h)", /known/],
    ["select exists (summarize '/etc/passwd')", /known/],
    ["select 1 in (table '/etc/passwd')", /known/],
    ["select * from t as '/etc/passwd'", /known/],
    ["select * from t, '/etc/passwd'", /known/],
    ["select * from (select 1) x join '/etc/passwd' on true", /known/],
    ['select * from "/etc/passwd"', /known/],
    ['select * from "file.csv"', /known/],
    ['select * from "http://a/b"', /known/],
    ["select * from t where a in fsdir('/etc')", /function/],
    ['select * from t where a in fsdir', /known/],
    ['select 1 from a.b.c.d', /table/],
    ['/*!50000 drop table x */', /execute/],
    ['select 1 /*!; drop table x */', /execute/],
    ['select 1 /*M! x */', /execute/],
    ['select /*+ SET_VAR(a = 1) */ 1', /execute/],
    ['select 1 /* /* */ ; drop table x */', /comment in/],
    ['select 1 /*', /without an end/],
    ['select 1 -- a\rdelete from t', /plain text/],
    ['select 1 -- a\u2028delete from t', /plain text/],
    ['select 1 -- \\! ls', /plain text/],
    ['select 1 /*\n.shell ls\n*/', /plain text/],
    ["select q'[']' ; drop table x --'", /prefix|quote/],
    ["select nq'('a)'", /prefix|quote/],
    ['select U&"pg\\005fsleep"(1)', /Unicode|prefix|known/],
    ["select '", /without an end/],
    ['select "a', /without an end/],
    ['select 1 \\! ls', /"\\"/],
    ['select 1\0', /NUL/],
    ["select '\0'", /NUL/],
    ['select\u00a01', /blank/],
    ['select 1\u2028', /blank/],
    ['select 1 as \u200ba', /quotes/],
    ['\ufeffselect 1', /blank|quotes/],
    ['select a := 1', /known|":="/],
    ['select 1 settings max_threads = 1', /known/],
    ['select * from t settings s3_truncate_on_insert = 1', /known/],
    ["select 1 format CSV into outfile 'x'", /known/],
    [`select ${'('.repeat(100)}1${')'.repeat(100)}`, /levels/],
    ['select 1 +', /must follow/],
    ['select f(', /must follow|function/],
  ])('%j', (sql, reason) => {
    for (const one of ALL) {
      // := names an argument there.
      if (sql === 'select a := 1' && one.colonEquals) continue;
      const refused = whyNotReadOnly(sql, one);
      expect([one.name, refused]).not.toEqual([one.name, null]);
      if (one === EVERY_DIALECT) expect(refused).toMatch(reason);
    }
  });
});

describe('where no dialect is named, what databases read in different ways is refused', () => {
  test.each<[sql: string, why: RegExp]>([
    ['select 1 --1; drop table x', /"--"/],
    ["select 1 --\u00a0into outfile '/tmp/x'", /"--"/],
    ['select 1 --\rdelete', /"--"/],
    ["select 1 # '\n; drop table x -- '", /"#"/],
    ["select '\\'; drop table x; -- '", /backslash/],
    ['select "\\"; drop table x -- "', /backslash/],
    ["select E'a'", /prefix/],
    ["select x'ff'", /prefix/],
    ["select n'a'", /^never$/],
    ['select `insert` from `drop`', /"`"/],
    ['select `; delete from t; select `', /"`"/],
    ['select [name] from [dbo].[t]', /"\["/],
    ["select [x'] ; drop table t --']", /"\["/],
    ['select $$ ; drop table x; $$', /"\$"/],
    ["select $$ ' $$ ; drop table x --'", /"\$"/],
    ['select a$$b from t', /goes on/],
    ['select @a := 1', /"@"/],
    ['select @@global.a', /"@"/],
    ['select ?, $1', /^never$/],
    ["select {d '2026-01-01'}", /"\{"/],
    ['select a::int', /^never$/],
    ['select 1 ^ 2', /"\^"/],
    ["select date_trunc('day', a) from t", /list for all dialects/],
    ['select * from pg_authid', /table of the system/],
    ['select * from mysql.user', /table of the system/],
    ['select * from system.zookeeper', /table of the system/],
    ['select * from fsdir', /table of the system/],
    ['select 1 in (system.users)', /table of the system/],
    ['select * from etc.csv', /table of the system/],
    ["select ('/etc/passwd').pg_read_file", /field/],
    ['from t select 1', /beginning/],
    ['pragma table_info(t)', /pragma/],
  ])('%j', (sql, reason) => {
    if (reason.source === '^never$') expect(why(sql)).toBeNull();
    else expect(why(sql)).toMatch(reason);
  });
});

describe('a dialect refuses what it has for more than reading', () => {
  test.each<[dialect: string, sql: string]>([
    ['postgres', 'select `; delete from t; select `'],
    ['postgres', "select '\\'; drop table x; -- '"],
    ['postgres', "select E'\\'' ; drop table x"],
    ['postgres', 'select U&"pg!005fsleep" uescape \'!\' (1)'],
    ['postgres', "select U&'a'"],
    ['postgres', 'select $$ $$; drop table x'],
    ['postgres', 'select $a$ x'],
    ['postgres', "select :'HOME', :LAST_ERROR_MESSAGE"],
    ['postgres', 'select 1 \\gset'],
    ['postgres', 'select * from pg_catalog.pg_authid'],
    ['postgres', 'select * from pg_hba_file_rules'],
    ['postgres', 'select * from (table pg_authid) x'],
    ['postgres', 'select * from pg_toast.pg_toast_1'],
    // Fields that PostgreSQL takes for functions
    ['postgres', "select ('/etc/passwd').pg_read_file"],
    ['postgres', 'select (a)::text.pg_read_file, (array[a])[1].pg_read_file from t'],
    ['postgres', 'select (a)."pg_read_file" from t'],
    ['postgres', 'select a[1].pg_read_file from t'],
    ['postgres', 'select $1.pg_read_file'],
    ['postgres', 'select a from t order by (a).nextval'],
    ['postgres', "select x.pg_read_file from unnest(array['/etc/passwd']) x"],
    ['postgres', 'select (select x."pg_read_file") from unnest(array[\'/etc/passwd\']) as x'],
    ['postgres', "select unnest.pg_read_file from unnest(array['/etc/passwd'])"],
    ['postgres', 'select X.pg_read_file from unnest(a) as "x"'],
    ['postgres', 'select "F".f from unnest(a) as "F"'],
    ['postgres', 'select x.f from unnest(a) as x("F")'],
    ['postgres', 'select x.x from unnest(a) as x(y)'],
    ['postgres', 'select x.f from t, unnest(a) as x(f), (select x.f from unnest(a) x) y'],
    ['postgres', `select ${'x'.repeat(70)}.pg_read_file from unnest(a) ${'x'.repeat(63)}`],
    ['postgres', 'select operator(pg_catalog.-) 1'],
    ['postgres', 'select a operator(public.@@) b from t'],
    ['postgres', "select * from rows from (pg_ls_dir('/'))"],
    ['postgres', "select * from xmltable('/a' passing pg_read_file('x') columns a text)"],
    ['mysql', 'select $$ ; drop table x; $$'],
    ['mysql', 'select 1 --1; drop table x'],
    ['mysql', 'select 1 # x'],
    ['mysql', 'select @a := 1'],
    ['mysql', 'select @@global.a'],
    [
      'mysql',
      "select * from json_table('[]', '$[*]' columns (a int path '$.a' default sleep(1) on error)) j",
    ],
    ['mysql', 'select * from performance_schema.threads'],
    ['mariadb', "select 1 --\u00a0into outfile '/tmp/x'"],
    ['mariadb', 'select nextval(s)'],
    ['mariadb', 'select lastval(s)'],
    ['mariadb', 'select setval(s, 1)'],
    ['mariadb', 'select s.nextval'],
    ['sqlite', 'pragma journal_mode = delete'],
    ['sqlite', 'pragma user_version(5)'],
    ['sqlite', 'pragma table_info(t) = 1'],
    ['sqlite', 'select * from fsdir where path = "/etc"'],
    ['sqlite', 'select * from main.zipfile'],
    ['sqlite', 'select * from pragma_user_version'],
    ['sqlite', 'select * from sqlite_dbdata'],
    ['sqlite', 'select [a] from t'],
    ['duckdb', "from '/etc/passwd'"],
    ['duckdb', 'from "data.csv"'],
    ['duckdb', 'from data.csv'],
    ['duckdb', "select a from t, lateral read_text('x')"],
    ['duckdb', "select current_setting('s3_secret_access_key')"],
    ['duckdb', "select getvariable('a')"],
    ['duckdb', 'summarize t'],
    ['duckdb', 'pivot t on a'],
    ['duckdb', 'pragma database_size'],
    ['duckdb', 'from duckdb_secrets()'],
    ['clickhouse', "select dictGet('d', 'a', 1)"],
    ['clickhouse', "select arrayReduce('flameGraph', [1])"],
    ['clickhouse', 'select * apply(sleep) from t'],
    ['clickhouse', "select * from merge('a', 'b')"],
    ['clickhouse', "select * from view(select * from url('http://a'))"],
    ['clickhouse', 'describe table url(1)'],
    ['clickhouse', "explain table override mysql('a', 'b')"],
    ['clickhouse', "select 1 format JSON settings output_format = 'x'"],
    ['clickhouse', 'select * from system.zookeeper where path = 1'],
    ['clickhouse', 'select * from "s3://a/b"'],
    ['clickhouse', "select ('a', 'b') in (system.zookeeper)"],
    ['clickhouse', 'select in(a, system.users) from t'],
    ['clickhouse', "select 'a\\\\' ; drop table t --'"],
    ['clickhouse', "select x'] ; drop table t --'"],
  ])('%s: %j', (name, sql) => {
    expect(whyNotReadOnly(sql, dialect(name))).not.toBeNull();
  });
});

test.each([
  'select hunter2(1)',
  'select 1 hunter2 hunter3',
  'select * from hunter2(1)',
  "select '",
  'hunter2',
  'select 1 -- \\hunter2',
])('what is said of %j has no word of its own', (sql) => {
  for (const one of ALL) expect(whyNotReadOnly(sql, one)).not.toMatch(/hunter/);
});

test('says where the fault is', () => {
  expect(why('select 1; drop table x')).toBe('a second statement (at character 11)');
  expect(why('select a, f(b) from t')).toBe(
    'a function that is not on the list for all dialects (at character 11)',
  );
});

test('finds a second statement anywhere, unless it is inside quotes or a comment', () => {
  const data = fc.constantFrom(
    "'; drop table x'",
    '"; drop"',
    '1 /* ; drop table x */',
    '2 -- ;drop\n',
    "''",
    "'a''b'",
    '1',
    'a.b',
    'abs(1)',
    '(select 1)',
    'case when a then b end',
  );
  const pieces = fc.array(data, { minLength: 1, maxLength: 6 });
  const attack = fc.constantFrom(
    '; drop table x',
    ';delete from t',
    ' ;\nselect 2',
    '/**/;/**/truncate t',
    ' drop table x',
    ' INTO t2 ',
    ' for update',
  );
  fc.assert(
    fc.property(fc.constantFrom(...ALL), pieces, attack, pieces, (one, before, stacked, after) => {
      expect(whyNotReadOnly(`select ${[...before, ...after].join(' , ')}`, one)).toBeNull();
      expect(
        whyNotReadOnly(`select ${before.join(' , ')} ${stacked} ${after.join(' , ')}`, one),
      ).not.toBeNull();
    }),
  );
});

test('texts of the greatest size end at once', () => {
  const units = [
    ...["'", '"', '`', '$$', '$a$', '/*', '*/', '--', '-- \n', '(', '[', '{', ']', '\\', "''", "'\\\\"],
    ...[
      '1',
      '.',
      '1e',
      'a',
      'a.',
      '/* */',
      '$a',
      '-- \r',
      ' + 1',
      ', a',
      ' case when a then',
      ' union select 1',
    ],
    ...[' not', '::int', '[1]', 'f(', '(select ', ' join t', ' is', ' array', ' interval 1 day', 'a, b as '],
  ];
  for (const one of ALL)
    for (const unit of units) {
      whyNotReadOnly(`select ${unit.repeat(60_000 / unit.length)}`, one);
      whyNotReadOnly(`select 1 from t ${unit.repeat(60_000 / unit.length)}`, one);
    }
});

test('no list of functions has a name that another dialect knows for more than reading', () => {
  const effects = [
    ...[
      'sleep',
      'benchmark',
      'load_file',
      'file',
      'url',
      'nextval',
      'setval',
      'set_config',
      'pg_sleep',
      'dblink',
    ],
    ...['readfile', 'writefile', 'load_extension', 'query', 'query_table', 'read_csv', 'getenv', 'setseed'],
    ...['lo_import', 'lo_export', 'pg_notify', 'get_lock', 'release_lock', 'last_insert_id', 'ts_rewrite'],
  ];
  for (const { name, functions, tableFunctions } of ALL)
    for (const effect of effects)
      expect([name, effect, functions.has(effect) || tableFunctions.has(effect)]).toEqual([
        name,
        effect,
        false,
      ]);
});
