/** A folder with a manifest for tests of the commands that read files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';

const FILES = {
  'manifest.yaml': `version: "1.0"
name: tutor
memory:
  stores:
    - { id: episodic, type: vector, backend: qdrant }
intents:
  - { id: cards, triggers: { keywords: [cards] } }
  - { id: chat, triggers: { fallback: true } }
tools:
  - { id: make_cards }
  - { id: change_plan }
specialists:
  - { id: curator, handles_intents: [cards], uses_tools: [make_cards, change_plan] }
`,
  'policy.yaml': `version: "1.0"
name: tutor-policy
roles: [{ id: guest }, { id: user }]
tool_permissions:
  make_cards: { allowed_roles: [user], rate_limit: 5/hour }
memory_policies:
  read:
    intent_mapping: { cards: [episodic], chat: [episodic] }
    max_results: { episodic: 5 }
`,
  'policy.production.yaml': `tool_permissions:
  make_cards: { allowed_roles: [guest, user] }
`,
};

type Name = keyof typeof FILES;

/** Writes the folder. `change` changes single files. */
export function manifestFolder(change: Partial<Record<Name, (text: string) => string>> = {}): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(folder, name), change[name as Name]?.(text) ?? text);
  return folder;
}
