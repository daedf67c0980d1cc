/** Compares two published versions of a manifest. It runs in the control thread, because large manifests take long. */
import { diffDocuments, optionsChanged, publishedDocument } from '@mandate/agent-manifest';
import { readWrittenManifest, type WrittenManifest } from '@mandate/schemas';

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
    widens: diff.widens || beside.some(({ widens }) => widens === true),
  };
}

/** Returns the changes of files and of options. Nothing tells whether code allows more. */
function besideManifest(old: WrittenManifest, now: WrittenManifest): FieldChange[] {
  return [
    ...filesChanged(old.files, now.files),
    ...optionsChanged(JSON.parse(old.options), JSON.parse(now.options)),
  ];
}

type Files = Readonly<Record<string, string>>;

function filesChanged(old: Files, now: Files): FieldChange[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].sort().flatMap((file): FieldChange[] => {
    if (old[file] === now[file]) return [];
    const change = !Object.hasOwn(old, file) ? 'added' : Object.hasOwn(now, file) ? 'changed' : 'removed';
    return [{ path: `files.${file}`, category: 'GOVERNANCE', change, widens: null }];
  });
}
