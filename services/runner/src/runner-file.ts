/**
 * The file `runner.yaml`: the servers that the tools of manifests are bound to, the providers of models, and whether
 * code of manifests may run. It is read at the start. Without a file no tool is bound, no model can be called, and no
 * code runs.
 */
import { existsSync } from 'node:fs';
import { describeFault } from '@mandate/policy/documents';
import { type Logger, MandateError, readTextFile } from '@mandate/runtime';
import type { LogicOptions } from './logic/run-logic.ts';
import type { ModelClients } from './models/model-clients.ts';
import { openModelClients } from './models/open-model-clients.ts';
import { TokenWindows } from './models/token-windows.ts';
import { loadRunnerDocument, NO_RUNNER_DOCUMENT } from './runner-document.ts';
import { openToolServers } from './tools/open-tool-servers.ts';
import type { ToolServers } from './tools/tool-servers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type RunnerFile = {
  open(
    clock: () => number,
    log: Logger,
  ): {
    models: ModelClients;
    tokenWindows: TokenWindows;
    toolServers: ToolServers;
    logic: LogicOptions | null;
  };
};

/** Opens the file that the settings name. Otherwise opens `runner.yaml` of the data folder, which may be missing. */
export function openRunnerFile(
  { RUNNER_CONFIG_PATH: named }: { readonly RUNNER_CONFIG_PATH?: string | undefined },
  { folder, env }: { folder: { runner: string }; env: Environment },
): RunnerFile {
  const path = named ?? folder.runner;
  const document = named === undefined && !existsSync(path) ? NO_RUNNER_DOCUMENT : mustLoad(path, env);
  return {
    open: (clock, log) => ({
      models: openModelClients(document, clock()),
      tokenWindows: new TokenWindows(clock),
      toolServers: openToolServers(document, log),
      logic: document.logic.enabled ? { python: document.logic.python } : null,
    }),
  };
}

function mustLoad(path: string, env: Environment) {
  const read = loadRunnerDocument(readTextFile(path), env);
  if (read.ok) return read.document;
  const lines = read.faults.map((fault) => describeFault(path, fault));
  throw new MandateError('RUNNER_FILE_INVALID', `the file of the runner is bad\n${lines.join('\n')}`, {
    remedy: 'Correct the file at these places. docs/agent-manifests.md has every field.',
  });
}
