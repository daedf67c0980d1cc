/**
 * Imports a `server.json` of the MCP registry: the packages and addresses of one server. The file does not list the
 * server's tools.
 */
import { ImportFields } from './import-fields.ts';
import { readMap } from './import-file.ts';
import { quoted } from './import-notes.ts';
import type { ImportSource, ServerBinding } from './imported.ts';
import { type ManifestDraft, warnNotNamed } from './manifest-draft.ts';
import { addServerPack, listedTools } from './mcp-servers.ts';
import { keyFor } from './names.ts';
import { addressWithoutSecrets } from './secrets.ts';

/** How packages of each registry are started. The import itself starts nothing. */
const COMMANDS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  npm: ['npx', '-y'],
  pypi: ['uvx'],
  oci: ['docker', 'run', '-i', '--rm'],
  docker: ['docker', 'run', '-i', '--rm'],
  nuget: ['dnx', '--yes'],
};

export function fromMcpRegistry(sources: readonly ImportSource[], draft: ManifestDraft): void {
  const { notes } = draft;
  for (const source of sources) {
    const file = readMap(source, 'server of the registry', notes);
    if (file === null) continue;
    const root = new ImportFields(file.value, [], { file, notes });
    const name = root.text('name') ?? 'server';
    const wanted = keyFor(name.split('/').at(-1) ?? name, 'server');
    draft.name ??= root.text('title') ?? name;
    draft.version ??= root.text('version');
    for (const field of ['title', 'version', '$schema']) root.any(field);
    const bindings = [...packagesOf(root), ...remotesOf(root)];
    const [binding] = bindings;
    if (binding === undefined) {
      notes.fault(
        'NOTHING_TO_IMPORT',
        file,
        [],
        'the server has neither a package that can be started nor an address',
      );
      continue;
    }
    if (bindings.length > 1)
      notes.warn(
        'FIELD_NOT_TAKEN',
        file,
        [],
        `the server can be reached in ${bindings.length} ways: the first is taken over`,
      );
    const tools = listedTools(draft, name);
    const { address, isNew } = draft.addServer(wanted, binding, { place: file, path: [] });
    const description = root.text('description') ?? `The server ${name}.`;
    if (isNew)
      addServerPack(draft, { name, address, tools, toolsNamed: false, isNew }, root, {
        description,
        unrated: 'critical',
      });
    warnNotNamed(
      draft,
      { place: file, path: [], means: 'the tools of a server are not in this file' },
      tools.map((tool) => tool.name),
    );
    root.leaveOut({
      repository: 'a pack has no repository',
      websiteUrl: 'a pack has no further page',
      icons: 'they change only how the server is shown',
      status: 'it is a matter of the registry',
      _meta: 'it is a matter of the registry',
    });
    root.end();
  }
}

function packagesOf(root: ImportFields): ServerBinding[] {
  return root.items('packages').flatMap((fields): ServerBinding[] => {
    const registry =
      fields.text('registryType') ?? fields.text('registry_type') ?? fields.text('registry_name') ?? '';
    const identifier = fields.text('identifier') ?? fields.text('name');
    const version = fields.text('version');
    const start = Object.hasOwn(COMMANDS, registry) ? COMMANDS[registry] : undefined;
    const variables = fields.items('environmentVariables').concat(fields.items('environment_variables'));
    const env = variables.flatMap((variable) => {
      const name = variable.text('name');
      return name === null ? [] : [[name, `\${env:${name.replaceAll(/\W/g, '_')}}`] as const];
    });
    for (const field of [
      'registryBaseUrl',
      'registry_base_url',
      'fileSha256',
      'transport',
      'runtimeHint',
      'runtime_hint',
    ])
      fields.any(field);
    fields.leaveOut({
      packageArguments: 'write the arguments into the settings of the runner',
      package_arguments: 'write the arguments into the settings of the runner',
      runtimeArguments: 'write the arguments into the settings of the runner',
      runtime_arguments: 'write the arguments into the settings of the runner',
    });
    fields.end();
    if (start === undefined || identifier === null || !/^[@A-Za-z0-9][\w@./:-]{0,300}$/.test(identifier)) {
      fields.notes.warn(
        'ADDRESS_NOT_TAKEN',
        fields.file,
        fields.path,
        `it is not known how a package of ${quoted(registry)} is started`,
      );
      return [];
    }
    const [command, ...args] = start;
    const isExact = version !== null && /^[\w.+-]{1,64}$/.test(version) && !identifier.includes(':');
    const separator = registry === 'oci' || registry === 'docker' ? ':' : '@';
    return [
      {
        command,
        args: [...args, isExact ? `${identifier}${separator}${version}` : identifier],
        env: Object.fromEntries(env),
      },
    ];
  });
}

function remotesOf(root: ImportFields): ServerBinding[] {
  return root.items('remotes').flatMap((fields): ServerBinding[] => {
    const url = addressWithoutSecrets(fields, 'url');
    const headers = fields.items('headers').flatMap((header) => {
      const name = header.text('name');
      return name === null ? [] : [[name, `\${env:${name.toUpperCase().replaceAll(/\W/g, '_')}}`] as const];
    });
    for (const field of ['type', 'transport_type', 'variables']) fields.any(field);
    fields.end();
    return url === null ? [] : [{ url, headers: Object.fromEntries(headers) }];
  });
}
