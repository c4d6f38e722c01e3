module podsource/modern

go 1.26
