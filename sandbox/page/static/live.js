// Follows the sandbox: when something has changed, the page is fetched again and
// the parts that differ take the place of the old ones. What the person is doing
// in the page (typing, an open fold, where it is scrolled to) stays.
(() => {
  "use strict";
  const parts = [...document.querySelectorAll("[data-live]")];
  const sent = new Map(parts.map((part) => [part, part.innerHTML])); // as the sandbox sent it

  const busy = (part) => part.contains(document.activeElement) &&
    document.activeElement.matches("input, select, textarea");
  const textOf = (li) => li.querySelector(".text")?.innerHTML;

  function takeOver(part, next) {
    if (sent.get(part) === next.innerHTML || busy(part)) return;
    sent.set(part, next.innerHTML);
    const known = new Map([...part.querySelectorAll("li[id]")].map((li) => [li.id, textOf(li)]));
    const open = new Set([...part.querySelectorAll("details[open]")].map((fold) => fold.closest("li")?.id));
    part.replaceChildren(...document.importNode(next, true).childNodes);
    for (const fold of part.querySelectorAll("details")) fold.open = open.has(fold.closest("li")?.id);
    if (part.dataset.live !== "content") return;
    for (const li of part.querySelectorAll("li[id]")) {
      if (known.get(li.id) !== textOf(li)) li.classList.add("fresh");
    }
  }

  let fetching = false, again = false;
  async function refresh() {
    again = true;
    if (fetching) return;
    fetching = true;
    try {
      while (again) {
        again = false;
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.status === 401) location.reload(); // the session has ended: say so
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of parts) {
          const same = next.querySelector(`[data-live="${part.dataset.live}"]`);
          if (same) takeOver(part, same);
        }
      }
    } catch {
      // The sandbox has stopped; the stream of events says when it is back.
    } finally {
      fetching = false;
    }
  }

  let timer = 0, source = null;
  function follow() {
    source = new EventSource(document.body.dataset.base + "/page/events");
    source.addEventListener("changed", () => { clearTimeout(timer); timer = setTimeout(refresh, 40); });
    source.onopen = () => document.documentElement.removeAttribute("data-stopped");
    source.onerror = () => {
      document.documentElement.setAttribute("data-stopped", "");
      if (source.readyState === EventSource.CLOSED) refresh(); // it was refused
    };
  }
  // A browser opens six connections to one host at most: tabs that nobody looks
  // at give theirs back. The first event of a new stream brings all up to date.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { source?.close(); source = null; } else if (!source) follow();
  });
  if (!document.hidden) follow();
})();
