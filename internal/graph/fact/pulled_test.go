package fact

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// A sibling is read with one allocation, that of its uid, and their order with as few as
// there are lists: a page may have thousands.
func TestReadingSiblingsAllocatesLittle(t *testing.T) {
	const siblings = 400
	var list []string
	for i := range siblings {
		list = append(list, fmt.Sprintf(`{"f-uid":"u%08d","f-order":%d}`, i, siblings-i))
	}
	answer := []byte(`[{"f-uid":"x","f-string":"text","f-_children":[{"f-uid":"p","f-children":[` + strings.Join(list, ",") + `]}]}]`)
	var read []string
	took := testing.AllocsPerRun(10, func() {
		found, err := parsePulled(answer)
		require.NoError(t, err)
		read = inOrder(found[0].parents[0].children)
	})
	if len(read) != siblings || read[0] != "u00000399" {
		t.Errorf("%d siblings, the first is %q", len(read), read[0])
	}
	if most := 1.2 * siblings; took > most {
		t.Errorf("%v allocations, of %v that may be", took, most)
	}
}
