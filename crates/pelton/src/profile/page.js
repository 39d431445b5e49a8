"use strict";
// Draws the timeline of each query on a canvas: lanes from top to bottom, time from left to right.
(() => {
  const runs = JSON.parse(document.getElementById("data").textContent);
  const ROW = 16, GAP = 10, NAME = 190, AXIS = 22;
  // Work that a thread does interleaved, such as pages decoded in one batch, shares one lane of this height.
  const DEEP = 2 * ROW;
  const heightOf = (lane) => Math.min(lane.rows * ROW, DEEP), stripeOf = (lane) => heightOf(lane) / lane.rows;
  const titleOf = (lane) => lane.rows * ROW > DEEP ? lane.name + ", depth " + lane.rows : lane.name;

  const time = (us) => us >= 1e6 ? (us / 1e6).toFixed(3) + " s"
    : us >= 1e3 ? (us / 1e3).toFixed(3) + " ms" : us.toFixed(1) + " µs";
  const size = (bytes) => bytes >= 1e9 ? (bytes / 1e9).toFixed(2) + " GB"
    : bytes >= 1e6 ? (bytes / 1e6).toFixed(2) + " MB" : bytes >= 1e3 ? (bytes / 1e3).toFixed(1) + " KB" : bytes + " B";

  function chart(details, run) {
    const canvas = details.querySelector("canvas"), tip = details.querySelector(".tip");
    if (run.lanes.length === 0) { canvas.hidden = true; return; }
    const rows = run.lanes.reduce((sum, lane) => sum + heightOf(lane) + GAP, 0);
    const last = run.lanes.flatMap((lane) => lane.spans).reduce((end, span) => Math.max(end, span[4]), 0);
    const whole = Math.max(run.time, last, 1);
    let from = 0, to = whole, boxes = [];
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Timeline; the table above has its sums");
    canvas.style.height = rows + AXIS + "px";

    function draw() {
      const style = getComputedStyle(document.documentElement);
      const color = (name) => style.getPropertyValue("--" + name).trim();
      const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = rows + AXIS;
      if (width === 0) return;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      const c = canvas.getContext("2d");
      c.scale(ratio, ratio);
      c.font = "12px system-ui, sans-serif";
      c.textBaseline = "middle";
      const scale = (width - NAME) / (to - from), x = (us) => NAME + (us - from) * scale;
      const rough = (to - from) / Math.max(1, (width - NAME) / 110), power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
      for (let us = Math.ceil(from / step) * step; us <= to; us += step) {
        c.fillStyle = color("line");
        c.fillRect(x(us), AXIS, 1, rows);
        c.fillStyle = color("soft");
        c.fillText(time(us), x(us) + 3, AXIS / 2);
      }
      boxes = [];
      let top = AXIS;
      for (const lane of run.lanes) {
        c.fillStyle = color("text");
        const height = heightOf(lane), stripe = stripeOf(lane);
        c.fillText(titleOf(lane), 0, top + ROW / 2, NAME - 8);
        c.save();
        c.beginPath();
        c.rect(NAME, top, width - NAME, height);
        c.clip();
        for (const span of lane.spans) {
          const [row, kind, label, start, end] = span;
          if (end < from || start > to) continue;
          const left = x(start), wide = Math.max(1, (end - start) * scale), y = top + row * stripe;
          c.fillStyle = color(run.kinds[kind]);
          c.fillRect(left, y + (stripe === ROW ? 1 : 0), wide, stripe === ROW ? ROW - 2 : Math.max(stripe, 1));
          if (wide > 60 && stripe === ROW) {
            c.fillStyle = color("back");
            c.fillText(run.labels[label], Math.max(left, NAME) + 3, y + stripe / 2, left + wide - Math.max(left, NAME) - 6);
          }
          boxes.push([left, y, wide, span, stripe]);
        }
        c.restore();
        top += height + GAP;
      }
    }

    function show(start, end) {
      const wide = Math.min(whole, Math.max(end - start, whole / 1e6));
      from = Math.min(Math.max(0, start), whole - wide);
      to = from + wide;
      draw();
    }
    const zoom = (factor, at) => show(at - (at - from) * factor, at + (to - at) * factor);
    const under = (event) => from + (event.offsetX - NAME) * (to - from) / (canvas.clientWidth - NAME);

    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, under(event));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, from, to };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const moved = (held.x - event.clientX) * (held.to - held.from) / (canvas.clientWidth - NAME);
        tip.hidden = true;
        show(held.from + moved, held.to + moved);
        return;
      }
      const box = boxes.findLast(([left, y, wide, , stripe]) => event.offsetX >= left && event.offsetX <= Math.max(left + wide, left + 3)
        && event.offsetY >= y && event.offsetY <= y + stripe);
      tip.hidden = !box;
      if (!box) return;
      const [, kind, label, start, end, bytes] = box[3], lines = [run.kinds[kind] + ": " + run.labels[label],
        time(end - start) + ", from " + time(start)];
      if (bytes > 0) lines.push(size(bytes) + (end > start ? ", " + (bytes / (end - start) / 1e3).toFixed(2) + " GB/s" : ""));
      tip.textContent = lines.join("\n");
      tip.style.left = Math.min(event.offsetX + 12, canvas.clientWidth - 260) + "px";
      tip.style.top = event.offsetY + 12 + "px";
    });
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("dblclick", () => show(0, whole));
    canvas.addEventListener("keydown", (event) => {
      const middle = (from + to) / 2, part = (to - from) / 5;
      const keys = { "+": () => zoom(0.8, middle), "=": () => zoom(0.8, middle), "-": () => zoom(1.25, middle),
        "0": () => show(0, whole), ArrowLeft: () => show(from - part, to - part), ArrowRight: () => show(from + part, to + part) };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
    new ResizeObserver(draw).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    details.addEventListener("toggle", draw);
    draw();
  }

  for (const details of document.querySelectorAll("details.run")) chart(details, runs[details.dataset.run]);
})();
