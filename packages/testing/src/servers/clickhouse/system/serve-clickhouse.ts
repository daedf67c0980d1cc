/**
 * Turns this process into a ClickHouse: it calls `clickhouse-local` in chdb's library. From then on the main thread
 * belongs to the engine. The call uses ffi-rs and not koffi, because the engine refuses the stack on which koffi runs
 * calls.
 *
 * usage: serve-clickhouse.ts <argument of clickhouse-local>...
 */
import { libchdbPath } from 'chdb/libchdb';
import { DataType, load, open } from 'ffi-rs';

const args = ['clickhouse-local', ...process.argv.slice(2)];

open({ library: 'chdb', path: libchdbPath() });
load({
  library: 'chdb',
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
// The call returns only if the engine failed. The engine has already printed the reason.
process.exit(1);
