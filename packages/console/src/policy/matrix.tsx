/** Agents × tools: what the plane would answer to each call, and what a draft would change. */

import { useQuery } from '@tanstack/react-query';
import { Empty, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { askWorker } from './ask-worker.ts';
import type { Cell, InForce, MatrixCell, MatrixRow } from './messages.ts';
import { type Draft, DraftEffects } from './policy-editor.tsx';

export function Matrix({
  agents,
  tools,
  draft,
  inForce,
  killed,
}: {
  agents: readonly string[];
  tools: readonly string[];
  draft: Draft | null;
  inForce: InForce;
  /** The reason of each kill, by agent. */
  killed: ReadonlyMap<string, string>;
}) {
  const policy = draft?.policy ?? null;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['matrix', agents, tools, policy, inForce],
    queryFn: () => askWorker({ kind: 'matrix', agents, tools, draft: policy, inForce }),
    placeholderData: (before) => before,
  });
  if (error !== null) return <Problem error={error} />;
  if (agents.length === 0 || tools.length === 0)
    return <Empty>Name an agent and a tool. Agents appear here when they are registered.</Empty>;
  if (data === undefined) return <p role="status">Working it out …</p>;
  const changed = data.flatMap(({ cells }) => cells).filter(isChanged).length;
  const changesIn = (column: number) => data.filter(({ cells }) => isChanged(cells[column])).length;
  const columns = tools.map((tool, index) => ({ tool, index, changes: changesIn(index) }));
  return (
    <div className="stack">
      <p role="status">
        {isPlaceholderData ? 'Working it out …' : summaryOf(policy === null ? null : draft, changed)}
      </p>
      <p className="quiet">
        Each cell is for the first call of an agent, without arguments and without a person. Not looked at:
        money already spent, calls that rates have counted, kills, arguments, and limits of the tenant.
      </p>
      <Table
        label="Agents and tools"
        isGrid
        columns={[
          {
            head: 'Agent',
            isHead: true,
            cell: ({ agent }) => (
              <>
                {agent}
                {killed.has(agent) && <strong title={killed.get(agent)}> ■ killed</strong>}
              </>
            ),
          },
          ...columns.toSorted(mostChanged).map(
            ({ tool, index }): Column<MatrixRow> => ({
              head: tool,
              cell: ({ cells }) => <Said {...cells[index]} />,
            }),
          ),
        ]}
        rows={data
          .map((row) => ({ ...row, changes: row.cells.filter(isChanged).length }))
          .toSorted(mostChanged)}
        nameOf={({ agent }) => agent}
      />
      {draft !== null && <DraftEffects draft={draft} />}
    </div>
  );
}

function summaryOf(draft: Draft | null, changed: number): string {
  if (draft === null) return 'What the plane would answer now.';
  if (changed > 0) return `The draft changes ${changed} ${changed === 1 ? 'cell' : 'cells'}.`;
  const { widens, narrows } = draft;
  if (!widens?.length && !narrows?.length) return 'The draft changes no cell.';
  return 'No cell of the table changes. The draft changes what stands below the table.';
}

/** While a new matrix is computed, the previous one is shown. It may have fewer tools. */
function Said({ now, draft = null }: Partial<MatrixCell>) {
  if (now === undefined) return null;
  return (
    <span title={(draft ?? now).reason}>
      <Answer {...now} />
      {draft !== null && isChanged({ now, draft }) && (
        <>
          {' → '}
          <Answer {...draft} />
        </>
      )}
    </span>
  );
}

function Answer({ verdict, dependsOn }: Cell) {
  return (
    <>
      <Verdict is={verdict} />
      {dependsOn.length > 0 && `, depends on ${dependsOn.join(' and ')}`}
    </>
  );
}

function isChanged(cell: MatrixCell | undefined): boolean {
  if (cell?.draft == null) return false;
  const { now, draft } = cell;
  return draft.verdict !== now.verdict || draft.dependsOn.join() !== now.dependsOn.join();
}

/** Rows that the draft changes come first. The others keep their order. */
function mostChanged(one: { changes: number }, other: { changes: number }): number {
  return other.changes - one.changes;
}
