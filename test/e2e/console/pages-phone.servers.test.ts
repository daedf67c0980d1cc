import { describeWithChromium } from '@mandate/testing';
import { test } from 'vitest';
import { openScene } from './console-scene.ts';
import { lookAtEveryPage } from './every-page.ts';

describeWithChromium('the pages of the console at 390 px', () => {
  // On a phone, only places and sizes differ.
  test('have no fault of accessibility, and fit the window', async () => {
    await using scene = await openScene();
    await lookAtEveryPage(scene, { isPhone: true }, [
      'target-size',
      'scrollable-region-focusable',
      'color-contrast',
    ]);
  });
});
