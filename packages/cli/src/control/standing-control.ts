/** Asks a plane for its agents, policies and rules. */
import { type ApiClient, rowsOf } from '@mandate/client';
import { type Kind, LISTS, type Standing } from '@mandate/control/plan';

type Row = { revision: number; version?: number; isArchived?: boolean } & {
  [K in Kind]?: Standing['document'];
};

export const PATHS: Readonly<Record<Kind, string>> = {
  agent: '/v1/agents',
  policy: '/v1/policies',
  rule: '/v1/rules',
};

export async function standingControl(api: ApiClient): Promise<Standing[]> {
  const all: Standing[] = [];
  for (const kind of ['agent', 'policy', 'rule'] as const) {
    const rows = rowsOf(api, {
      path: PATHS[kind],
      cursor: 'cursor',
      pageSize: 1_000,
      rows: (answer: { next: string | null; [list: string]: unknown }) => answer[LISTS[kind]] as Row[],
    });
    for await (const { revision, version = 0, isArchived = false, [kind]: document } of rows) {
      if (document === undefined) continue;
      all.push({ kind, id: String(document.id), revision, versions: version, isArchived, document });
    }
  }
  return all;
}
