/**
 * A process that approves questions, apart from the process that asked. With the address of a plane, it sends what a
 * person sends, with the key of an operator. With a Redis, it is another program with the SDK.
 */
import { Mandate } from '../index.ts';

type Settings = { planeUrl: string; apiKey: string } | { redis: string; redisPrefix: string };

const settings: Settings = JSON.parse(process.argv[2] ?? '{}');
const approve = 'redis' in settings ? approveOnRedis(settings) : approveAtPlane;

process.on('message', async ({ approvalId }: { approvalId: string }) => {
  try {
    await approve(approvalId);
    process.send?.({ approvalId, error: null });
  } catch (error) {
    process.send?.({ approvalId, error: String(error) });
  }
});
process.send?.('ready');

function approveOnRedis(options: { redis: string; redisPrefix: string }) {
  const mandate = new Mandate({ mode: 'distributed', ...options });
  return (approvalId: string) => mandate.approve(approvalId, { by: 'op', reason: 'fine' });
}

async function approveAtPlane(approvalId: string): Promise<void> {
  if (!('planeUrl' in settings)) throw new Error('no plane is stated');
  const response = await fetch(`${settings.planeUrl}/v1/approvals/${approvalId}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${settings.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'fine' }),
  });
  if (!response.ok) throw new Error(await response.text());
}
