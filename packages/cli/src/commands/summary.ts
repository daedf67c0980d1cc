import { formatMicros } from '@mandate/schemas';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { counted } from '../output/for-people.ts';
import { showAnswer } from '../output/write.ts';

/** The answer of GET /v1/ledger/summary. */
type Summary = {
  asOf: string;
  ageMs: number;
  agents: number;
  openActions: number;
  reservedMicros: number;
  spentMicros: number;
  kills: number;
  waiting: number;
};

export function summaryCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Shows the tenant of the key in a few numbers: agents, open actions, actions that wait for a person, kill switches that are on, and money. Scope ' +
        'audit or operate.',
    )
    .addHelpText('after', '\nExamples:\n  mandate summary\n  mandate summary --json | jq .kills')
    .action(() =>
      run(async (context) => {
        const summary = await connect(context).get<Summary>('/v1/ledger/summary');
        return showAnswer(context, summary, () => text(summary));
      }),
    );
}

function text({
  asOf,
  ageMs,
  agents,
  openActions,
  reservedMicros,
  spentMicros,
  kills,
  waiting,
}: Summary): string {
  const lines = [
    `${counted(agents, 'agent')}, ${formatMicros(spentMicros)} spent`,
    `${counted(openActions, 'open action')}, ${formatMicros(reservedMicros)} reserved`,
    waiting === 0
      ? 'nothing waits for a person'
      : `${counted(waiting, 'action')} wait for a person (\`mandate approvals\`)`,
    kills === 0 ? 'no kill switch is on' : `${counted(kills, 'kill')} in force (\`mandate kills\`)`,
    `as of ${asOf}, ${ageMs} ms ago`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
