package evaluation_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tools/evaluation"
	"roam-mcp/tools/evaluation/reference"
)

const (
	benchmarks = "../../docs/benchmarks.md"
	costsOfAll = "COSTS.md"
)

// cost is what the solution of a task takes.
type cost struct{ calls, bytes int }

// kb shows bytes in two digits.
func kb(bytes int) string {
	value := float64(bytes) / 1000
	if value < 10 {
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.0f", value)
}

// compareTable compares COSTS.md with the costs, and docs/benchmarks.md with their sums.
// Bytes within a tenth of those in COSTS.md leave it as it is.
func compareTable(t *testing.T, tasks []evaluation.Task, costs []cost) {
	t.Helper()
	text, err := os.ReadFile(costsOfAll)
	require.NoError(t, err)
	official, err := reference.Recorded()
	require.NoError(t, err)
	const head = " | calls | KB | official: calls | KB |\n|---|---|---|---|---|\n"
	var compared, others strings.Builder
	row := func(name string, c cost, other string) string {
		return fmt.Sprintf("| %s | %d | %s | %s |\n", name, c.calls, steady(string(text), name, c), other)
	}
	var sum, theirs cost
	both := 0
	for i, task := range tasks {
		if !task.Compared {
			others.WriteString(row(task.Name, costs[i], " | "))
			continue
		}
		both++
		other := "not possible | "
		if o, done := official.Tasks[task.Name]; done {
			other = fmt.Sprintf("%d | %s", o.Calls, kb(o.Bytes))
			theirs.calls, theirs.bytes = theirs.calls+o.Calls, theirs.bytes+o.Bytes
		}
		sum.calls, sum.bytes = sum.calls+costs[i].calls, sum.bytes+costs[i].bytes
		compared.WriteString(row(task.Name, costs[i], other))
	}
	const all = "**all of these**"
	total := row(all, sum, fmt.Sprintf("%d | %s", theirs.calls, kb(theirs.bytes)))
	golden.Section(t, costsOfAll, "<!-- evaluation -->\n", "<!-- /evaluation -->", "| task"+head+compared.String()+total+others.String())
	golden.Section(t, benchmarks, "<!-- evaluation -->\n", "<!-- /evaluation -->", "| "+head+strings.Replace(total, all, fmt.Sprintf("the %d tasks of %d that both servers were given", both, len(tasks)), 1))
}

// steady returns the bytes in the row of a table if they are nearly these, or these.
func steady(text, name string, c cost) string {
	row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| \d+ \| ([0-9.]+) \|`).FindStringSubmatch(text)
	if row == nil {
		return kb(c.bytes)
	}
	was, err := strconv.ParseFloat(row[1], 64)
	if now := float64(c.bytes) / 1000; err != nil || math.Abs(now-was) > max(0.1, was/10) {
		return kb(c.bytes)
	}
	return row[1]
}
