/** Compares two published versions of a manifest. It runs in the control thread, because large manifests take long. */
import { diffDocuments, publishedDocument } from '@mandate/agent-manifest';
import { deepEqual, readWrittenManifest, type WrittenManifest } from '@mandate/schemas';

type Diff = ReturnType<typeof diffDocuments>;
type FieldChange = Diff['changes'][number];

/** @param values the bytes of the records of both versions */
export function compareVersions({ from, to }: { from: Uint8Array; to: Uint8Array }): Diff {
  const [old, now] = [readWrittenManifest(from), readWrittenManifest(to)];
  const { changes, ...diff } = diffDocuments(publishedDocument(old.text), publishedDocument(now.text));
  const beside = besideManifest(old, now);
  if (beside.length === 0) return { changes, ...diff };
  const at = changes.findIndex(({ category }) => category !== 'BREAKING' && category !== 'GOVERNANCE');
  const { highest } = diff;
  return {
    changes: changes.toSpliced(at === -1 ? changes.length : at, 0, ...beside),
    highest: highest === 'BREAKING' ? highest : 'GOVERNANCE',
    widens: diff.widens,
  };
}

/** Returns the changes of files and of options. Nothing tells whether code or an option allows more. */
function besideManifest(old: WrittenManifest, now: WrittenManifest): FieldChange[] {
  return [
    ...fieldsChanged('files', old.files, now.files),
    ...fieldsChanged('options', JSON.parse(old.options), JSON.parse(now.options)),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsChanged(name: string, old: Fields, now: Fields): FieldChange[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((field): FieldChange[] => {
    if (deepEqual(old[field], now[field])) return [];
    const change = !Object.hasOwn(old, field) ? 'added' : Object.hasOwn(now, field) ? 'changed' : 'removed';
    return [{ path: `${name}.${field}`, category: 'GOVERNANCE', change, widens: null }];
  });
}
