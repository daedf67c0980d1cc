/**
 * Imports agent cards of A2A. Each skill becomes a tool at the address of the agent. A card says what an agent offers,
 * but not who may use it. So no agent is allowed any of these tools.
 */
import { ImportFields } from './import-fields.ts';
import { readMap } from './import-file.ts';
import type { ImportSource } from './imported.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { addressWithoutSecrets } from './secrets.ts';

const NO_COUNTERPART = {
  capabilities: 'the runner asks the agent itself',
  defaultInputModes: 'tools are given JSON',
  defaultOutputModes: 'tools answer JSON',
  additionalInterfaces: 'the first address is taken over',
  provider: 'a tool has no provider in a manifest',
  documentationUrl: 'a tool has no page in a manifest',
  iconUrl: 'it changes only how the agent is shown',
  signatures: 'they are signatures of the card, which the manifest replaces',
  supportsAuthenticatedExtendedCard: 'nothing is fetched',
  preferredTransport: 'the runner knows how to reach the agent',
} as const;

export function fromA2a(sources: readonly ImportSource[], draft: ManifestDraft): void {
  const { notes } = draft;
  for (const source of sources) {
    const file = readMap(source, 'agent card', notes);
    if (file === null) continue;
    const card = new ImportFields(file.value, [], { file, notes });
    draft.name ??= card.text('name');
    draft.version ??= card.text('version');
    card.any('name');
    card.any('version');
    card.any('description');
    card.any('protocolVersion');
    const address = addressOf(card);
    if (address === null) {
      if (!notes.hasFaults) notes.fault('FIELD_MISSING', file, [], 'must have the address of the agent: url');
      continue;
    }
    for (const skill of card.items('skills')) {
      const name = skill.text('id') ?? '';
      const description = skill.text('description') ?? skill.text('name') ?? '';
      draft.tools.placeAt(
        address,
        { name, risk: 'standard', description },
        { place: file, path: skill.path },
      );
      for (const field of ['name', 'description']) skill.any(field);
      skill.leaveOut({
        tags: 'a tool has no tags in a manifest',
        examples: 'a tool has no examples in a manifest',
        inputModes: 'tools are given JSON',
        outputModes: 'tools answer JSON',
        security: 'the runner has its own settings for addresses',
        securityRequirements: 'the runner has its own settings for addresses',
      });
      skill.end();
    }
    const schemes = Object.keys(card.map('securitySchemes')?.value ?? {});
    if (schemes.length > 0) draft.requiresAuth = true;
    card.any('security');
    card.any('securityRequirements');
    card.leaveOut(NO_COUNTERPART);
    card.end();
  }
}

/** A card of version 1.0 has its addresses in `supportedInterfaces`. */
function addressOf(card: ImportFields): string | null {
  const [first, ...others] = card.items('supportedInterfaces');
  const url =
    card.any('url') === undefined && first !== undefined
      ? addressWithoutSecrets(first, 'url')
      : addressWithoutSecrets(card, 'url');
  for (const one of [...(first === undefined ? [] : [first]), ...others]) {
    for (const field of ['url', 'protocolBinding', 'protocolVersion', 'transport', 'tenant']) one.any(field);
    one.end();
  }
  return url;
}
