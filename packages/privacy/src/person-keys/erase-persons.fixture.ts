/**
 * Erases persons one after another in the key file `argv[2]`, beginning with number `argv[3]`. Prints the number of
 * each person after the erasure.
 */
import { personKeysAt } from './person-keys.ts';

const [path = '', from = ''] = process.argv.slice(2);
const keys = personKeysAt(path);
await keys.open();
process.stdout.write('open\n');
for (let person = Number(from); ; person += 1) {
  const { ref } = keys.find('acme', `person-${person}`);
  await keys.erase([{ tenant: 'acme', index: ref.slice(ref.lastIndexOf(':') + 1) }]);
  process.stdout.write(`${person}\n`);
}
