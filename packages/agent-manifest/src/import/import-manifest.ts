/** Imports files of other formats as one manifest. */
import { fromA2a } from './from-a2a.ts';
import { fromAgentSpec } from './from-agent-spec.ts';
import { fromCagent } from './from-cagent.ts';
import { fromClaudeAgents } from './from-claude-agents.ts';
import { fromCopilotAgents } from './from-copilot-agents.ts';
import { fromCrewAi } from './from-crewai.ts';
import { fromMcpConfig } from './from-mcp-config.ts';
import { fromMcpRegistry } from './from-mcp-registry.ts';
import { guessFormat } from './guess-format.ts';
import type { Imported, ImportFormat, ImportOptions, ImportSource } from './imported.ts';
import { ManifestDraft } from './manifest-draft.ts';

type Importer = (sources: readonly ImportSource[], draft: ManifestDraft) => void;

const IMPORTERS: Readonly<Record<ImportFormat, Importer>> = {
  mcp: fromMcpConfig,
  'claude-code': fromClaudeAgents,
  copilot: fromCopilotAgents,
  crewai: fromCrewAi,
  cagent: fromCagent,
  'agent-spec': fromAgentSpec,
  a2a: fromA2a,
  'mcp-registry': fromMcpRegistry,
};

/** @param format the format of the files. Null: the format is guessed from their names and their content */
export function importManifest(
  sources: readonly ImportSource[],
  format: ImportFormat | null,
  options: ImportOptions = {},
): Imported {
  const draft = new ManifestDraft(sources, options);
  const place = { name: sources[0]?.path ?? '', find: () => ({ line: 1, column: 1 }) };
  if (sources.length === 0) {
    draft.notes.fault('NOTHING_TO_IMPORT', place, [], 'there is no file to import');
    return draft.finish('mcp');
  }
  const chosen = format ?? guessFormat(sources);
  if (chosen === null) {
    draft.notes.fault(
      'FORMAT_UNKNOWN',
      place,
      [],
      'the format of the file is not known: name it with --from',
    );
    return draft.finish('mcp');
  }
  IMPORTERS[chosen](sources, draft);
  return draft.finish(chosen);
}
