import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effortOfAction } from '../effort.ts';
import { readOnlySql, whyNotReadOnly } from './read-only-sql.ts';

describe('let through', () => {
  test.each([
    'select updated_at from t',
    'SELECT 1',
    'select 1;',
    ' select 1 ; ',
    'select 1; -- done',
    '(select 1) union (select 2)',
    'select * from t where a = 1 order by b limit 5',
    'with x as (select 1) select * from x',
    'WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT n+1 FROM x) SELECT * FROM x',
    'show tables',
    'SHOW CREATE TABLE t',
    'describe t',
    'desc t',
    'explain select 1',
    'EXPLAIN ANALYZE SELECT 1',
    'explain (analyze, verbose) select * from t',
    "select 'drop table x; delete from y' as text",
    "select 'it''s; truncate'",
    'select "delete" from "update"',
    'select `insert` from `drop`',
    'select t.delete, t.into from t',
    "select 'a -- b', '/* c */', '#'",
    'select $$drop table x$$',
    'select $tag$delete from x$tag$',
    'select $1, $2',
    'select deleted, inserted_at, dropped, created from t',
    'select replace(a, b, c), truncate(1.5, 1) from t',
    'select /* a comment */ 1 -- another\n from t',
    'select 1 -- drop table x',
    'select 1 /* ; delete from t */',
    "select E'a\\\\' from t",
    "select a[1], m['key'] from t",
    'select "日本", ñandú from t',
    'select 1.5e10, .5, 0xff, 1. from t',
    "select a::int, b->>'c', d || e, :p, ? from t",
    'select count(*) filter (where a) from t',
    "select date '2026-01-01', interval '1 day', x'ff', N'ü'",
    'select [name] from [dbo].[t]',
    'select * from files',
    'select file, url, remote from t',
    'select * from sp_list',
    "select '\\\\' , ';'",
  ])('%j', (sql) => {
    expect(whyNotReadOnly(sql)).toBeNull();
  });
});

test.each(['select xp_hunter2', 'select pg_sleep_hunter2(1)', 'select "hunter2\\x"(1)'])(
  'what is said of %j has no word of its own',
  (sql) => {
    const refused = whyNotReadOnly(sql);
    expect(refused).not.toBeNull();
    expect(refused).not.toContain('hunter2');
  },
);

describe('refused', () => {
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
    ['values (1)', /beginning/],
    ['select 1; drop table x', /second/],
    ['select 1;;', /second/],
    ['select 1; select 2', /second/],
    ['select 1 ; -- a\n drop table x', /second/],
    ['; select 1', /beginning/],
    ['select 1 drop table x', /DROP/],
    ['select 1 exec xp_cmdshell', /EXEC/],
    ['select 1 waitfor delay x', /WAITFOR/],
    ['select 1 shutdown', /SHUTDOWN/],
    ['select 1into outfile x', /INTO/],
    ['with x as (delete from t returning *) select * from x', /DELETE/],
    ['with x as (select 1) delete from t', /DELETE|nothing/],
    ['with x as (insert into t values (1)) select 1', /INSERT/],
    ['with x as materialized (update t set a = 1 returning a) select a from x', /UPDATE/],
    ['with x as (values (1)) table x', /nothing/],
    ['with x as (select 1) merge into t', /MERGE/],
    ['select * into t from s', /INTO/],
    ["select 1 into outfile '/tmp/x'", /INTO/],
    ['select a into @x from t', /INTO/],
    ['SELECT 1 INTO/**/OUTFILE x', /INTO/],
    ['select * from t for update', /FOR UPDATE/],
    ['select * from t for no key update', /FOR NO/],
    ['select * from t for share', /FOR SHARE/],
    ['select 1 from t lock in share mode', /LOCK IN/],
    ['explain analyze delete from t', /DELETE/],
    ['EXPLAIN (ANALYZE true) UPDATE t SET a = 1', /UPDATE/],
    ['explain analyse insert into t values (1)', /INSERT/],
    ['desc update t set a = 1', /UPDATE/],
    ["select pg_read_file('/x')", /pg_read_/],
    ['select pg_catalog.pg_sleep (10)', /pg_sleep/],
    ['select "pg_read_file"(\'x\')', /pg_read_/],
    ['select PG_SLEEP/**/(1)', /pg_sleep/],
    ["select load_file('/etc/x')", /load_file/],
    ["select lo_import('/x')", /lo_/],
    ["select * from dblink('x', 'y')", /dblink/],
    ['select xp_cmdshell', /xp_/],
    ['select utl_http.request(x)', /utl_/],
    ["select * from openrowset('x')", /openrowset/],
    ["select * from url('http://evil.com')", /url/],
    ['select sleep(5)', /sleep/],
    ['select benchmark(1, 2)', /benchmark/],
    ["select set_config('a', 'b', false)", /set_config/],
    ["select query_to_xml('delete from t', true, true, '')", /query_to_xml/],
    ['select U&"pg\\005fsleep"(1)', /backslash/],
    ['select U&"pg!005fsleep" uescape \'!\' (1)', /UESCAPE/],
    ["select nextval('s')", /nextval/],
    ['/*!50000 drop table x */', /execute/],
    ['select 1 /*!; drop table x */', /execute/],
    ['select 1 /*M! x */', /execute/],
    ['select /*+ hint */ 1', /execute/],
    ['select 1 /* /* */ ; drop table x */', /comment in/],
    ['select 1 /*', /without an end/],
    ['select 1 --1; drop table x', /blank/],
    ['select 1 -- a\rdelete from t', /carriage/],
    ["select 1 # '\n; drop table x -- '", /#/],
    ["select '\\'; drop table x; -- '", /backslash/],
    ["select E'\\'' ; drop table x", /backslash/],
    ['select "\\"; drop table x -- "', /backslash/],
    ["select '", /without an end/],
    ['select "a', /without an end/],
    ["select q'[']' ; drop table x --'", /Oracle/],
    ["select nq'('a)'", /Oracle/],
    ["select [x'] ; drop table t --']", /quoted in brackets/],
    ["select [a]] ' ] ; drop table x --'", /\]\]/],
    ['select [a /* ] */ ] from t', /brackets/],
    ['select $$ ; drop table x; $$', /dollar/],
    ["select $$ ' $$ ; drop table x --'", /dollar/],
    ['select $$ $$; drop table x', /second/],
    ['select $a$ x', /dollar/],
    ['select 1 \\! ls', /backslash/],
    ['select 1\0', /NUL/],
    ["select '\0'", /NUL/],
    ['select drop\u00a0table x', /DROP/],
    ['show create table x; drop table x', /second/],
    ['show x create table y', /CREATE/],
    ['select (exec)', /EXEC/],
    ['select 1 from t;delete from t', /second/],
  ])('%j', (sql, why) => {
    expect(whyNotReadOnly(sql)).toMatch(why);
  });
});

describe('which strings are SQL', () => {
  const check = (args: unknown) => readOnlySql.create(undefined)(args, effortOfAction());
  const named = (args: unknown) => readOnlySql.create(['source_text'])(args, effortOfAction());

  test('those in fields that are named so, deeper ones too', () => {
    expect(check({ sql: 'select 1', database: 'main' })).toBeNull();
    expect(check({ SQL: 'drop table x' })).toMatchObject({ pointer: '/SQL', rule: 'readOnlySql' });
    expect(check({ query: { text: 'drop table x' } })).toMatchObject({ pointer: '/query/text' });
    expect(check({ queries: ['select 1', 'drop table x'] })).toMatchObject({ pointer: '/queries/1' });
  });

  test('without such a field, all of them', () => {
    expect(check({ q: 'select 1' })).toBeNull();
    expect(check({ q: 'drop table x', n: 1 })).toMatchObject({ pointer: '/q' });
    expect(check({ limit: 5 })).toBeNull();
  });

  test('with parameters, those and no others', () => {
    expect(named({ sourceText: 'drop table x' })).toMatchObject({ pointer: '/sourceText' });
    expect(named({ sourceText: 'select 1', query: 'drop table x' })).toBeNull();
  });

  test('a fault says what was wrong', () => {
    expect(check({ sql: 'select 1; drop table x' })).toEqual({
      pointer: '/sql',
      expected: 'one SQL statement that only reads, without a second statement',
      seen: 'a string',
      rule: 'readOnlySql',
    });
  });
});

test('a second statement is seen wherever it stands, unless it is inside of quotes or a comment', () => {
  const data = fc.constantFrom(
    "'; drop table x'",
    '"; drop"',
    '`;`',
    '/* ; drop table x */',
    '-- ;drop\n',
    '$$drop$$',
    '$a$b$a$',
    "''",
    "'a''b'",
    '1',
    'a.b',
    'f(1)',
    '[c]',
  );
  const pieces = fc.array(data, { maxLength: 6 });
  const attack = fc.constantFrom(
    '; drop table x',
    ';delete from t',
    ' ;\nselect 2',
    '/**/;/**/truncate t',
    ' drop table x',
    ' INTO t2 ',
  );
  fc.assert(
    fc.property(pieces, attack, pieces, (before, stacked, after) => {
      expect(whyNotReadOnly(`select ${[...before, ...after].join(' , ')}`)).toBeNull();
      expect(whyNotReadOnly(`select ${before.join(' , ')} ${stacked} ${after.join(' , ')}`)).not.toBeNull();
    }),
  );
});

test('texts of the greatest size end at once', () => {
  for (const unit of [
    "'",
    '"',
    '$$',
    '$a$',
    '/*',
    '*/',
    '--',
    '-- \n',
    '(',
    '[',
    ']',
    '\\',
    "''",
    "'\\\\",
    '1',
    '.',
    '1e',
    'a',
    'a.',
    '/* */',
    '$a',
    '-- \r',
  ]) {
    whyNotReadOnly(`select ${unit.repeat(60_000 / unit.length)}`);
  }
});
