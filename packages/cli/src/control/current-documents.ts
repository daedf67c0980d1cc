/** Asks a plane for its agents, policies and rules. */
import { type ApiClient, rowsOf } from '@mandate/client';
import { type CurrentDocument, type Kind, LISTS } from '@mandate/control/plan';

type Row = { revision: number; version?: number; isArchived?: boolean } & {
  [K in Kind]?: CurrentDocument['document'];
};

export const PATHS: Readonly<Record<Kind, string>> = {
  agent: '/v1/agents',
  policy: '/v1/policies',
  rule: '/v1/rules',
};

export async function currentDocuments(api: ApiClient): Promise<CurrentDocument[]> {
  const all: CurrentDocument[] = [];
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
