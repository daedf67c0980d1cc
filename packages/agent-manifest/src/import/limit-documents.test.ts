import { describe, expect, test } from 'vitest';
import { imported } from './imported.fixture.ts';
import { limitDocuments } from './limit-documents.ts';

const REVIEWER = '---\nname: reviewer\ntools: Read, Bash(git *)\nmaxTurns: 3\n---\n';
const READER = '---\nname: reader\ntools: Read\nmaxTurns: 3\n---\n';

describe('the limits of an import', () => {
  test('are a policy and a rule for each agent that has limits', () => {
    const result = imported('claude-code', { 'a.md': REVIEWER, 'b.md': READER }, { name: 'My Team' });
    const limits = limitDocuments(result);
    expect(limits?.policies).toMatchObject([
      { version: 1, id: 'my-team.reviewer.imported', toolPolicies: { Bash: {} } },
    ]);
    expect(limits?.rules).toMatchObject([
      { id: 'my-team.reviewer.imported', policy: 'my-team.reviewer.imported', agents: ['my-team.reviewer'] },
    ]);
    expect(limitDocuments(result, 'other')?.rules[0]?.agents).toEqual(['other.reviewer']);
  });

  test('need an id if no id can be made from the name', () => {
    const { manifest, policies } = imported('claude-code', { 'a.md': REVIEWER });
    const unnamed = { ...manifest, metadata: { ...manifest.metadata, name: '北京' } };
    expect(limitDocuments({ manifest: unnamed, policies })).toBeNull();
  });
});
