/**
 * Measures the cost of redacting an action of one kilobyte before it is published. Five fields are redacted by path,
 * one of them at any depth, and four patterns in every text and name. Half of the actions contain a match of each
 * pattern, half contain none.
 */
import { currentRedactor } from '@mandate/privacy';
import { type Action, privacyDocument } from '@mandate/schemas';
import { type Comparison, compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';

const ACTIONS = 5_000;
const PAIRS = 7;

const FIELDS = [
  { path: 'args.card.number', do: 'redact' },
  { path: 'args.customer.name', do: 'hash' },
  { path: 'args.**.street', do: 'redact' },
  { path: 'args.items.*.note', do: 'redact' },
  { path: 'context.session', do: 'hash' },
];
const PATTERNS = ['email', 'phone', 'credit_card', 'secret'].map((pattern) => ({ pattern, do: 'redact' }));

export async function redactActions(): Promise<Row[]> {
  return [
    ...(await rateOf('5 fields', { fields: FIELDS })),
    ...(await rateOf('4 patterns', { patterns: PATTERNS })),
    ...(await rateOf('5 fields and 4 patterns', { fields: FIELDS, patterns: PATTERNS })),
  ];
}

function rateOf(rules: string, written: object): Promise<Row[]> {
  const figures = { perSecond: { what: `redact an action of 1 KB, ${rules}`, unit: '/s' } } as const;
  return compare({ pairs: PAIRS, ours: () => ours(written), rival: parsing, figures });
}

function ours(written: object): Promise<Work> {
  const document = privacyDocument.parse({ version: 1, ...written });
  const means = { redact: (action: Action) => action, hashKey: 'a key', sealer: null };
  const redact = currentRedactor({ privacy: () => document }, means);
  const actions = Array.from({ length: ACTIONS }, (_, index) => newAction(index));
  let changed = 0;
  return measureWork(ACTIONS, () => {
    for (const action of actions) if (redact(action, 'acme') !== action) changed += 1;
    if (changed < ACTIONS / 2) throw new Error(`only ${changed} of ${ACTIONS} were changed`);
  });
}

const parsing: Comparison<'perSecond'>['rival'] = {
  what: 'JSON.parse of the same action',
  run: () => {
    const texts = Array.from({ length: ACTIONS }, (_, index) => JSON.stringify(newAction(index)));
    let kept = 0;
    return measureWork(ACTIONS, () => {
      for (const text of texts) kept += JSON.parse(text).id.length;
      if (kept === 0) throw new Error('nothing was parsed');
    });
  },
};

function newAction(index: number): Action {
  const isPersonal = index % 2 === 0;
  const message = isPersonal
    ? `Please write to ann.${index}@example.com or call +49 30 901820, the card is 4111 1111 1111 1111.`
    : `Please write to the customer of order ${1_000_000 + index}, it was shipped on 2026-05-01 at 12:30.`;
  return {
    id: `act_bench_${index}`,
    agentId: `airline-${index % 200}`,
    type: 'tool_call',
    tool: 'send_message',
    principal: { id: `user-${index % 50}`, role: 'member' },
    args: {
      message,
      subject: 'Your order is on its way',
      customer: { id: `user-${index % 1_000}`, name: 'Ann Example', tier: 'gold' },
      address: { street: 'Example Street 12', city: 'Berlin', postcode: '10115', country: 'DE' },
      card: { number: isPersonal ? '4111111111111111' : null, brand: 'visa' },
      items: [
        { sku: 'A-4711', quantity: 1, priceMicros: 19_990_000, note: 'gift wrapped' },
        { sku: 'B-0815', quantity: 3, priceMicros: 4_990_000, note: '' },
        { sku: 'C-2342', quantity: 2, priceMicros: 129_000_000, note: 'fragile' },
      ],
      options: { express: true, insurance: false, language: 'en', template: 'order_shipped_v3' },
    },
    context: {
      environment: 'prod',
      session: `sess_01kx3v5t9zab54a98ceb${index}`,
      trace: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      requestedBy: 'workflow/order-shipped',
      retry: 0,
    },
  };
}
