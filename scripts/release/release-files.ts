/** The changes of a release in the files that name the version. All workspaces have one version. */

type Manifest = { name?: string; version?: string; [field: string]: unknown };

const OURS = '@mandate/';
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

export function isVersion(text: string): boolean {
  return /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(text);
}

export function isLower(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('.').map(Number));
  const at = [0, 1, 2].find((part) => one?.[part] !== other?.[part]) ?? 2;
  return (one?.[at] ?? 0) < (other?.[at] ?? 0);
}

/** Returns the text of a package.json with this version, and with the other workspaces at this version. */
export function manifestAt(version: string, text: string): string {
  return asJson(withVersion(JSON.parse(text), version));
}

export function lockfileAt(version: string, text: string): string {
  const lockfile: Manifest & { packages: Record<string, Manifest> } = JSON.parse(text);
  const packages = Object.entries(lockfile.packages).map(([path, entry]) => [
    path,
    // Entries in node_modules are packages from a registry, or links without a version. They stay as they are.
    path.includes('node_modules/') ? entry : withVersion(entry, version),
  ]);
  return asJson({ ...lockfile, version, packages: Object.fromEntries(packages) });
}

function withVersion(manifest: Manifest, version: string): Manifest {
  const dependencies = DEPENDENCIES.flatMap((kind) => {
    const named = manifest[kind];
    if (typeof named !== 'object' || named === null) return [];
    return [
      [
        kind,
        Object.fromEntries(
          Object.entries(named).map(([name, wanted]) => [name, name.startsWith(OURS) ? version : wanted]),
        ),
      ],
    ];
  });
  return { ...manifest, version, ...Object.fromEntries(dependencies) };
}

/** @throws Error if nothing is under "Unreleased" */
export function releaseNotes(changelog: string, version: string, day: string): string {
  const heading = '## Unreleased\n';
  const [head, rest] = changelog.split(heading, 2);
  const entries = /^\s*(?!##)\S/.test(rest ?? '');
  if (head === undefined || !entries) {
    throw new Error('CHANGELOG.md has nothing under "## Unreleased". Say there what is new for users.');
  }
  return `${head}${heading}\n## ${version} – ${day}\n${rest}`;
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
