/** Expands the query of a panel, as Grafana and its ClickHouse plugin do before they send it. */
export type Shown = {
  tenant: string;
  fromMs: number;
  toMs: number;
  /** The length of a bucket on the time axis. */
  stepS: number;
  /** The selected agents. Null: all agents. */
  agents: readonly string[] | null;
};

export function sentByGrafana(sql: string, { tenant, fromMs, toMs, stepS, agents }: Shown): string {
  const quoted = (values: readonly string[]) =>
    values.map((value) => `'${value.replaceAll("'", "''")}'`).join(',');
  const time = (ms: number) => `toDateTime(${Math.floor(ms / 1_000)})`;
  return sql
    .replace(/\$__conditionalAll\((.*?\)), \$\w+\)/g, agents === null ? '1=1' : '$1')
    .replace(/\$__timeFilter\((\w+)\)/g, `$1 >= ${time(fromMs)} AND $1 <= ${time(toMs)}`)
    .replace(/\$__timeInterval\((\w+)\)/g, `toStartOfInterval(toDateTime($1), INTERVAL ${stepS} second)`)
    .replaceAll('$__interval_s', String(stepS))
    .replaceAll('$__toTime', time(toMs))
    .replaceAll(`\${__from}`, String(fromMs))
    .replaceAll(`\${__to}`, String(toMs))
    .replaceAll(`\${tenant:sqlstring}`, quoted([tenant]))
    .replaceAll(`\${agent:sqlstring}`, quoted(agents ?? []));
}
