/** Agent manifests as people write them, for tests. */

export const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Support Team, version: 1.2.0, requires_auth: true }
policy: { max_steps: 10 }
definitions:
  search: { type: tool, name: Search, uri: mcp://search.example/v1, risk_level: safe }
  refund: { type: tool, name: Refund, uri: mcp://crm.example/v1, risk_level: critical }
  clerk:
    type: agent
    name: Clerk
    role: clerk
    goal: answer customers
    model: claude-haiku-4-5
    tools: [search, refund]
workflow:
  start: answer
  steps:
    answer: { type: agent, agent: clerk }
`;

/** The same team without the tool that gives money back. */
export const NARROWER = MANIFEST.replace(/ {2}refund:.*\n/, '').replace('[search, refund]', '[search]');
/** The same team with a tool of a lower risk. */
export const WIDER = MANIFEST.replace('critical', 'safe');

/** A graph that asks the clerk of the team, and then a person. */
export const GRAPH = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Desk }
topology:
  entry_point: answer
  nodes:
    - { type: agent, id: answer, agent_ref: support-team.clerk }
    - { type: human, id: check, prompt: "Send this?" }
  edges: [{ source: answer, target: check }]
`;
