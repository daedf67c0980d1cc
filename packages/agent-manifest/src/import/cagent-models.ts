/** Reads the models of a file of docker cagent. */
import type { ImportFields } from './import-fields.ts';
import { isToolName } from './names.ts';

export type ModelOfFile = { model: string | null; provider: string | null };

const NO_COUNTERPART = {
  temperature: 'a manifest has no field for it',
  top_p: 'a manifest has no field for it',
  frequency_penalty: 'a manifest has no field for it',
  presence_penalty: 'a manifest has no field for it',
  max_tokens:
    'a manifest limits answers only together with the window of the model: write resources.constraints',
  base_url: 'the runner has its own settings for providers',
  token_key: 'the runner has its own settings for providers',
  parallel_tool_calls: 'a manifest has no field for it',
  provider_opts: 'a manifest has no field for it',
  track_usage: 'Mandate always records what a call used',
  thinking_budget: 'a manifest has no field for it',
  routing: 'an agent has one model here',
} as const;

/** Returns the models by their names in the file. */
export function readModels(root: ImportFields): ReadonlyMap<string, ModelOfFile> {
  const models = new Map<string, ModelOfFile>();
  for (const [name, fields] of root.maps('models')) {
    const model = fields.text('model');
    const provider = fields.text('provider');
    models.set(name, { model, provider: provider !== null && isToolName(provider) ? provider : null });
    fields.leaveOut(NO_COUNTERPART);
    fields.end();
  }
  return models;
}
