/** A row of `context_builds`. Empty text means no value. */
import type { ContextBuilt } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime } from '../recorded.ts';

/** A record of the context builder, with the time until which the audit keeps it. */
export type KeptBuild = ContextBuilt & { keptUntilMs: number };

export const contextBuildRow = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  key_id: z.string(),
  agent_id: z.string(),
  request_id: z.string(),
  action_id: z.string(),
  principal_id: z.string(),
  skip_reason: z.string(),
  error_code: z.string(),
  question_type: z.string(),
  built_at: storableTime,
  kept_until: storableTime,
  ...logColumns,
});

export function contextBuildRowOf(recorded: Recorded<KeptBuild>): z.input<typeof contextBuildRow> {
  const { build, reportedBy, keptUntilMs } = recorded.record;
  const { skip_reason, error, output } = build.steps.manifest_builder;
  return {
    tenant: build.tenant,
    id: build.id,
    key_id: reportedBy.keyId,
    agent_id: build.agentId,
    request_id: build.requestId,
    action_id: build.actionId ?? '',
    principal_id: build.principal?.id ?? '',
    skip_reason: skip_reason ?? '',
    error_code: error?.code ?? '',
    question_type: output?.question_type ?? '',
    built_at: build.builtAt,
    kept_until: new Date(keptUntilMs).toISOString(),
    ...logColumnsOf(recorded),
  };
}
