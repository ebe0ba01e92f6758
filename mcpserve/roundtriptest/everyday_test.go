//go:build !campaign

package roundtriptest

import "testing"

func TestTreesAreWrittenBackAsTheyWere(t *testing.T) { testTrees(t, 1, 100) }

func TestTextsAreCreatedWithAllTheirCharacters(t *testing.T) { testTexts(t, 1, 40) }

func TestPagesOfTheHelpGraphsAreWrittenBackAsTheyWere(t *testing.T) { testHelp(t, 20) }

func TestExamplesOfCommonMarkAreThereWithAllTheirCharacters(t *testing.T) { testCommonMark(t, 6) }

func TestCopiesOfWhatIsShownHaveTheSameBlocks(t *testing.T) { testCopies(t, 1, 40) }
