import { expect, it } from 'vitest';
import { sparklinePoints } from '../strip/sparkline-scale.ts';
import { percentile } from './gauge-history.ts';

const box = { widthPx: 60, heightPx: 20 };

it('places samples by their time, newest at the right, the limit at the top', () => {
  const points = sparklinePoints(
    [
      { at: 30_000, value: 0 },
      { at: 60_000, value: 5 },
    ],
    60_000,
    box,
    10,
  );
  expect(points).toEqual([
    { x: 30, y: 20 },
    { x: 60, y: 10 },
  ]);
});

it('drops what is older than a minute and shows a value beyond its limit at the top', () => {
  const points = sparklinePoints(
    [
      { at: 0, value: 1 },
      { at: 61_000, value: 12 },
    ],
    61_000,
    box,
    10,
  );
  expect(points).toEqual([{ x: 60, y: 0 }]);
});

it('draws zeros on the floor where there is no limit', () => {
  expect(sparklinePoints([{ at: 1, value: 0 }], 1, box, undefined)).toEqual([{ x: 60, y: 20 }]);
});

it('takes the nearest rank as percentile', () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
});
