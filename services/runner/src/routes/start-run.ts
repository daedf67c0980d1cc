/** POST /v1/runs: starts a run of a published manifest. */
import { createHash, randomUUID } from 'node:crypto';
import { agentKeysOf, inputsOfRun, planOfDocument } from '@mandate/agent-manifest';
import { described, id, parsedJson, runStarted, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer, idempotencyKeyOf } from '@mandate/server';
import { z } from 'zod';
import { isGraph, type Loaded } from '../manifests/plans.ts';
import type { Runner } from '../runner.ts';
import { manifestUnknown, shownOf, shownRun } from './run-shapes.ts';

const body = z
  .strictObject({
    manifest: described(id, 'The id of the published manifest.', 'research'),
    hash: described(
      z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
      'The hash that the manifest must have. If another version was published, the run is refused.',
      '94d3086aa6168e8781a2e430fb3e5db2ae412e19c09c3f900e77eadc28fb6747',
    ),
    agent: described(
      z.string().min(1).optional(),
      'The agent, if the manifest has no workflow. A manifest with one agent needs no name.',
      'researcher',
    ),
    inputs: described(parsedJson.optional(), 'The inputs. Default: an empty object.', { query: 'tea' }),
    principal: described(
      runStarted.shape.principal.optional(),
      'The person for whom the run acts. Rules and budgets of persons count. Default: none.',
    ),
  })
  .meta({ examples: [{ manifest: 'research', inputs: { query: 'tea' } }] });

export function startRun(server: HttpServer, runner: Runner): void {
  const { runs, manifests, clock } = runner;
  server.post(
    '/v1/runs',
    {
      config: {
        scope: 'operate',
        refusals: {
          404: 'There is no such manifest.',
          409: 'The published manifest is another version, or a graph names an agent that is no longer published.',
          422: 'The inputs are wrong, or the manifest has no such agent.',
        },
      },
      schema: {
        tags: ['runs'],
        summary: 'Start a run of a published manifest',
        description:
          'The run keeps to the version that is published now. The inputs are checked before anything is written. With ' +
          'the header `Idempotency-Key`, a repeated request returns the run that the first one started.',
        body,
        response: { 201: shownRun },
      },
    },
    async (request, reply) => {
      const key = callerOf(request);
      const { tenant } = key;
      const { manifest: manifestId, hash, inputs: given = {}, principal = null } = request.body;
      const loaded = await manifests.latest(tenant, manifestId);
      if (loaded === null) throw manifestUnknown(manifestId);
      if (hash !== undefined && hash !== loaded.hash) throw otherVersion(loaded);
      const agent = agentOf(loaded, request.body.agent);
      const read = inputsOfRun(loaded.document, given);
      if ('failed' in read) {
        throw new HttpProblem(422, 'INPUT_INVALID', read.reason, {
          remedy: 'Send inputs that fit the interface of the manifest: `mandate manifest show` shows it.',
        });
      }
      const idempotencyKey = idempotencyKeyOf(request);
      const runId = idempotencyKey === null ? `run_${randomUUID()}` : runIdOf(tenant, idempotencyKey);
      if (runs.book.get(tenant, runId) === null) {
        const agentManifests = await agentManifestsOf(runner, tenant, loaded);
        const started = {
          event: 'run.started' as const,
          ...{ runId, tenant, at: wireTime(clock()) },
          manifest: { id: loaded.id, version: loaded.version, hash: loaded.hash },
          ...agentManifests,
          ...{ agent, inputs: read.inputs, principal, by: `key:${key.name}` },
        };
        await runs.append(tenant, runId, [started]);
      }
      const run = runs.book.get(tenant, runId);
      if (run === null) throw new Error('the run was appended and not read back');
      return reply
        .code(201)
        .header('location', `/v1/runs/${encodeURIComponent(runId)}`)
        .send(shownOf(run));
    },
  );
}

/** The same key always starts the same run. */
function runIdOf(tenant: string, idempotencyKey: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, idempotencyKey]))
    .digest('hex');
  return `run_${digest.slice(0, 32)}`;
}

function otherVersion({ id, hash }: Loaded): HttpProblem {
  return new HttpProblem(409, 'MANIFEST_DIFFERS', `the published manifest ${id} has the hash ${hash}`, {
    remedy: 'Publish your version with `mandate manifest publish FILE`, or leave the hash out.',
  });
}

/** Null: the run follows the workflow, or the graph. */
function agentOf(loaded: Loaded, asked: string | undefined): string | null {
  const { id, document } = loaded;
  const form = isGraph(loaded) ? 'a graph' : 'workflow' in document ? 'a workflow' : null;
  if (form !== null) {
    if (asked === undefined) return null;
    throw agentNotChosen(
      `the manifest ${id} has ${form}, so a run cannot name an agent`,
      'Leave `agent` out.',
    );
  }
  const agents = isGraph(loaded) ? [] : agentKeysOf(loaded.document);
  const [only, second] = agents;
  if (asked === undefined && only !== undefined && second === undefined) return only;
  if (asked !== undefined && planOfDocument(document, asked) !== null) return asked;
  throw agentNotChosen(
    asked === undefined
      ? `the manifest ${id} has ${agents.length} agents and no workflow`
      : `the manifest ${id} has no agent ${asked}`,
    `Name one with \`agent\`: ${agents.slice(0, 20).join(', ')}.`,
  );
}

function agentNotChosen(detail: string, remedy: string): HttpProblem {
  return new HttpProblem(422, 'AGENT_NOT_CHOSEN', detail, { remedy });
}

/** Returns the versions of the manifests whose agents a graph names. Empty for a workflow. */
async function agentManifestsOf(
  { manifests }: Pick<Runner, 'manifests'>,
  tenant: string,
  loaded: Loaded,
): Promise<Pick<z.output<typeof runStarted>, 'agentManifests'>> {
  if (!isGraph(loaded)) return {};
  const read = await manifests.versionsOfAgents(tenant, loaded);
  if ('versions' in read) return { agentManifests: read.versions };
  const detail = `the graph ${loaded.id} names ${read.unpublished}, which is no agent of a published manifest`;
  throw new HttpProblem(409, 'AGENT_NOT_PUBLISHED', detail, {
    remedy: 'Publish the manifest of this agent again, or publish the graph without it.',
  });
}
