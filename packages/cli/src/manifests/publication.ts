/** Publishes an agent manifest on a plane, or publishes an earlier version again. */
import type { ApiClient } from '@mandate/client';
import type { Output } from '../command-context.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import { widerLines } from '../output/wider-lines.ts';

export type FieldChange = {
  path: string;
  category: string;
  change: 'added' | 'removed' | 'changed';
  widens: boolean | null;
};

/** The answer of the plane to a publication, or to a trial of one. */
export type Published = {
  id: string;
  version: number;
  revision: number;
  isPublished: boolean;
  since: number | null;
  changes: readonly FieldChange[];
  documents: readonly { does: 'add' | 'change' | 'remove'; kind: string; id: string }[];
  widens: readonly string[] | null;
  warnings: readonly { code: string; file: string; path: string; line: number | null; message: string }[];
};

/** The subject of a publication: a manifest, or an earlier version. */
export type Publication =
  | { manifest: string; files: Readonly<Record<string, string>>; options: object }
  | { id: string; version: number };

/** @param how.revision the revision that the caller saw. The plane refuses the change if it is no longer current */
export function sendPublication(
  api: Pick<ApiClient, 'post'>,
  publication: Publication,
  how: { dryRun?: boolean; reason?: string | undefined; revision?: number },
): Promise<Published> {
  const { dryRun = false, reason, revision } = how;
  const options = { query: { reason, ...(dryRun && { dryRun: 'true' }) }, revision };
  if ('manifest' in publication) return api.post<Published>('/v1/manifests', publication, options);
  const { id, version } = publication;
  return api.post<Published>(`/v1/manifests/${encodeURIComponent(id)}/rollback`, { version }, options);
}

/** True if an agent gets more. False if it does not, or if this is unknown. */
export function isWider({ changes, widens }: Published): boolean {
  return (widens?.length ?? 0) > 0 || changes.some((change) => change.widens === true);
}

/** Returns the effects of a publication as text, for people to read before it is made. */
export function publicationText(published: Published, stream: Output): string {
  const { id, version, since, changes, documents, widens } = published;
  const follows = since === null ? 'no version is in force now' : `version ${since} is in force now`;
  const lines = [
    `${printable(id)}: version ${version}; ${follows}`,
    ...fieldChangeLines(changes, stream),
    ...widerLines(widens ?? [], stream),
    documentsLine(documents),
  ];
  return `${lines.join('\n')}\n`;
}

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;

export function fieldChangeLines(changes: readonly FieldChange[], stream: Output): string[] {
  return changes.map(({ path, category, change, widens }) => {
    const line = `${SIGNS[change]} ${category} ${printable(path)}`;
    return widens === true ? `${line}  ${paint('yellow', '! wider', stream)}` : line;
  });
}

const DONE = { add: 'to add', change: 'to change', remove: 'to remove' } as const;
const MANY: Readonly<Record<string, string>> = { agent: 'agents', policy: 'policies', rule: 'rules' };

function documentsLine(documents: Published['documents']): string {
  if (documents.length === 0) return 'no agent, policy or rule changes';
  const said = (['add', 'change', 'remove'] as const).flatMap((does) => {
    const kinds = Object.keys(MANY).flatMap((kind) => {
      const count = documents.filter((one) => one.does === does && one.kind === kind).length;
      return count === 0 ? [] : [count === 1 ? `1 ${kind}` : `${count} ${MANY[kind]}`];
    });
    return kinds.length === 0 ? [] : [`${kinds.join(', ')} ${DONE[does]}`];
  });
  return `${counted(documents.length, 'difference')}: ${said.join('; ')}`;
}
