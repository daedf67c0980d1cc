/** Mutations of the SDK. */
import { inFile, type Mutation } from '../mutation.ts';

export const SDK_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/engine/src/local/local-decider.ts', [
    ['sdk: deciders on one ledger never share a log position', 'randomUUID()}', "'one'}"],
    ["sdk: an outcome is the agent's own report", '`local/', "'mandate.actions.v1' || `local/"],
  ]),
  ...inFile('packages/sdk/src/start-action.ts', [
    [
      'sdk: an error of the SDK blocks',
      "new MandateBlockedError('INTERNAL_ERROR'",
      "new MandateBlockedError('TOOL_DENIED'",
    ],
    ['sdk: a kill before the start blocks', 'if (kill !== undefined || ', 'if ('],
    [
      'sdk: a kill aborts running calls of its agent',
      'if (allowed !== null) stop.abort(killed(kill, allowed));',
      '',
    ],
    [
      'sdk: a kill of one agent leaves the others alone',
      'kill.agentId !== null && kill.agentId !== agentId',
      'false',
    ],
    ['sdk: the end of the lease aborts', '() => stop.abort(leaseExpired(decision, leaseMs))', '() => {}'],
    ['sdk: an aborted call that fails keeps its charge', 'if (isUnknown) return Promise.resolve();', ''],
    ['sdk: only the first outcome counts', 'if (settled !== null) return settled;', ''],
  ]),
  ...inFile('packages/sdk/src/run-tool.ts', [
    ['sdk: the tool gets the decided arguments', 'fn(decided as never', 'fn(args as never'],
    [
      'sdk: a result changes no charge',
      "typeof stated === 'function' ? stated(result) : stated",
      '(result as { actualCostMicros?: number }).actualCostMicros',
    ],
    ['sdk: an actual cost is an amount', 'Number.isSafeInteger(cost) && cost >= 0', 'true'],
  ]),
  ...inFile('packages/sdk/src/authorize.ts', [
    ['sdk: an unknown obligation blocks', 'if (demanded === undefined) return decision;', 'return decision;'],
    ['sdk: a deferred call does not run', "if (verdict === 'DEFER')", "if (code === 'ALLOWED')"],
    ['sdk: a key with other arguments is no retry', 'first?.samePayload === true', 'first !== null'],
    ['sdk: a failed call can be retried', 'if (!mayAskNext) return decision;', 'return decision;'],
  ]),
  ...inFile('packages/sdk/src/policy.ts', [
    ['sdk: all stated mandates apply', '[...stated, mandate]', '[mandate]'],
    [
      'sdk: the mandate of the instance applies beside stated ones',
      '? stated : [found.mandate, ...stated]',
      '? stated : stated',
    ],
  ]),
  ...inFile('packages/sdk/src/create-action.ts', [
    ['sdk: a key makes the same id each time', ': idOfKey(idempotencyKey)', ': randomUUID()'],
  ]),
];
