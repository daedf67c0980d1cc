/** Agents × tools: what the plane would say to each call, and what a draft would change. */

import type { PolicyDocument } from '@mandate/schemas';
import { useQuery } from '@tanstack/react-query';
import { Empty, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Verdict } from '../parts/verdict.tsx';
import { askWorker } from './ask-worker.ts';
import type { InForce, MatrixCell, MatrixRow } from './messages.ts';

export function Matrix({
  agents,
  tools,
  draft,
  inForce,
}: {
  agents: readonly string[];
  tools: readonly string[];
  draft: PolicyDocument | null;
  inForce: InForce;
}) {
  const { data, error } = useQuery({
    queryKey: ['matrix', agents, tools, draft, inForce],
    queryFn: () => askWorker({ kind: 'matrix', agents, tools, draft, inForce }),
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
        {draft === null
          ? 'What the plane would say now. Limits, kills, arguments and approvals are not looked at.'
          : changed === 0
            ? 'The draft changes no cell.'
            : `The draft changes ${changed} ${changed === 1 ? 'cell' : 'cells'}.`}
      </p>
      <Table
        label="Agents and tools"
        isGrid
        columns={[
          { head: 'Agent', isHead: true, cell: ({ agent }) => agent },
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
    </div>
  );
}

/** While a new matrix is worked out, the one before is shown, which may have fewer tools. */
function Said({ now, draft = null }: Partial<MatrixCell>) {
  if (now === undefined) return null;
  return (
    <span title={(draft ?? now).reason}>
      <Verdict is={now.verdict} />
      {draft !== null && isChanged({ now, draft }) && (
        <>
          {' → '}
          <Verdict is={draft.verdict} />
        </>
      )}
    </span>
  );
}

function isChanged(cell: MatrixCell | undefined): boolean {
  return cell?.draft != null && cell.draft.verdict !== cell.now.verdict;
}

/** What the draft changes comes first. The rest keeps its order. */
function mostChanged(one: { changes: number }, other: { changes: number }): number {
  return other.changes - one.changes;
}
