import { useEffect, useRef } from 'react';
import { type GaugeName, gaugeHistory, onGauges } from '../state/gauge-history.ts';
import { onThemeChange } from '../terminals/terminal-theme.ts';
import { sparklinePoints } from './sparkline-scale.ts';

type Props = {
  name: GaugeName;
  limit?: number | undefined;
  /** Says the width. */
  className?: string | undefined;
  height: number;
  binds?: boolean;
};

/** Draws itself on a canvas whenever a sample comes; React only places it. */
export function Sparkline({ name, limit, className, height, binds }: Props) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const draw = (): void => {
      const ratio = devicePixelRatio || 1;
      const { clientWidth: widthPx, clientHeight: heightPx } = canvas;
      if (widthPx === 0) return;
      canvas.width = widthPx * ratio;
      canvas.height = heightPx * ratio;
      const samples = gaugeHistory(name);
      const now = samples.at(-1)?.at ?? 0;
      const inset = 1.5;
      const points = sparklinePoints(samples, now, { widthPx, heightPx: heightPx - 2 * inset }, limit);
      const style = getComputedStyle(canvas);
      context.scale(ratio, ratio);
      context.clearRect(0, 0, widthPx, heightPx);
      context.strokeStyle = style.color;
      context.fillStyle = style.color;
      context.lineWidth = 1.25;
      context.lineJoin = 'round';
      context.beginPath();
      points.forEach((point, index) => {
        if (index === 0) context.moveTo(point.x, point.y + inset);
        else context.lineTo(point.x, point.y + inset);
      });
      context.stroke();
      const first = points[0];
      const last = points.at(-1);
      if (!first || !last) return;
      context.lineTo(last.x, heightPx);
      context.lineTo(first.x, heightPx);
      context.globalAlpha = 0.14;
      context.fill();
      context.globalAlpha = 1;
    };
    draw();
    const stop = [onGauges(draw), onThemeChange(draw)];
    const resizes = new ResizeObserver(draw);
    resizes.observe(canvas);
    return () => {
      resizes.disconnect();
      for (const each of stop) each();
    };
  }, [name, limit]);
  const color = binds ? 'var(--vacuous)' : 'var(--accent)';
  return <canvas ref={ref} aria-hidden className={className} style={{ height, color, flex: 'none' }} />;
}
