/** Checks that the files that a manifest names are below its folder. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { isUri } from '../../addresses.ts';
import type { Catalog } from '../../catalog.ts';
import { type Found, found, type Path } from '../fault.ts';
import { folderOf, pathBelow } from '../file-path.ts';
import type { ManifestFiles } from '../manifest-files.ts';

/** @param name the path of the manifest in `files` */
export function pathFaults(
  manifest: AgentManifest,
  catalog: Catalog,
  name: string,
  files: ManifestFiles,
): Found[] {
  const folder = folderOf(name);
  return namedFiles(manifest, catalog).flatMap(({ path, written }): Found[] => {
    const file = pathBelow(folder, written);
    if (file !== null && !files.leadsOut(file)) return [];
    return [
      found(
        'PATH_OUTSIDE',
        path,
        'leads out of the folder of the manifest: copy the file there, and write its path',
      ),
    ];
  });
}

/** `isNeeded`: true if a run cannot work without the file. The value of `knowledge` may also be an id. */
export type NamedFile = { path: Path; written: string; isNeeded: boolean };

/** Returns the files that a manifest names. Addresses are left out. */
export function namedFiles(manifest: AgentManifest, catalog: Catalog): NamedFile[] {
  return namedPlaces(manifest, catalog).flatMap(({ mayBeAddress, mayBeId = false, ...named }) => {
    if (mayBeAddress && isUri(named.written) && !/^file:/i.test(named.written)) return [];
    return [{ ...named, isNeeded: !mayBeId }];
  });
}

type NamedPlace = { path: Path; written: string; mayBeAddress: boolean; mayBeId?: true };

function namedPlaces({ workflow }: AgentManifest, catalog: Catalog): NamedPlace[] {
  return [
    ...catalog.agent.entries.flatMap(({ at, definition: { knowledge = [] } }) =>
      knowledge.map((written, index): NamedPlace => {
        return { path: [...at, 'knowledge', index], written, mayBeAddress: true, mayBeId: true };
      }),
    ),
    ...catalog.skill.entries.flatMap(({ at, definition: { instructions_uri, scripts = {} } }) => [
      ...(instructions_uri === undefined
        ? []
        : [{ path: [...at, 'instructions_uri'], written: instructions_uri, mayBeAddress: true }]),
      ...Object.entries(scripts).map(([script, written]) => ({
        path: [...at, 'scripts', script],
        written,
        mayBeAddress: false,
      })),
    ]),
    ...Object.entries(workflow?.steps ?? {}).flatMap(([key, step]): NamedPlace[] =>
      step.type === 'logic' && isFileOfCode(step.code)
        ? [{ path: ['workflow', 'steps', key, 'code'], written: step.code, mayBeAddress: false }]
        : [],
    ),
  ];
}

/** A single word that ends in `.py` is a file. Any other text is Python code. */
export function isFileOfCode(code: string): boolean {
  return /^\S+\.py$/.test(code);
}
