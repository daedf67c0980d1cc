/** Compares the metadata of two manifests, or of two graph recipes. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { withoutEditorFields } from '../without-design.ts';
import type { Change } from './change.ts';
import { type FieldRules, fieldChanged, fieldsChanged, RESTRAINT } from './fields.ts';

const METADATA: FieldRules = { name: { category: 'GOVERNANCE' }, requires_auth: RESTRAINT };

export function metadataChanged(
  was: Pick<AgentManifest, 'metadata'>,
  is: Pick<AgentManifest, 'metadata'>,
): Change[] {
  const [before, after] = [others(was), others(is)];
  return [
    ...fieldsChanged('metadata', was.metadata, is.metadata, METADATA),
    ...fieldChanged('metadata', before, after, { category: 'PATCH' }),
  ];
}

function others({ metadata }: Pick<AgentManifest, 'metadata'>): Readonly<Record<string, unknown>> {
  const { name: _, requires_auth: __, ...rest } = withoutEditorFields(metadata);
  return rest;
}
