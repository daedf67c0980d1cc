/** Opens a mandate from the manifest, the permissions and the categories of this folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCategories, compileManifest, loadCategories, loadManifest } from '@mandate/manifest';
import { Mandate, type MandateDocument } from '@mandate/sdk';

const file = (name: string) => readFileSync(join(import.meta.dirname, name));

export function openTutor(): Mandate {
  const loaded = loadManifest({ manifest: file('manifest.yaml'), policy: file('policy.yaml') });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const config = loadCategories(file('config.yaml'));
  if (!config.ok) throw new Error(JSON.stringify(config.errors));
  const { policies } = compileManifest(loaded, compileCategories(config.categories));
  return new Mandate({ agentId: 'tutor', mandate: policies[0] as MandateDocument });
}
