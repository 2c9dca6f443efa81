"""Closed word lists by topic of daily life: what the rules of `ontology` are made of."""


def _any(text: str) -> str:
    """A pattern of any of the words, the longest first; "_" stands for a space."""
    found = sorted(text.split(), key=len, reverse=True)
    return "(?:" + "|".join(word.replace("_", " ") for word in found) + ")"


CHILD = "daughter son kid child stepson stepdaughter baby toddler"
PARTNER = "wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse ex"
KIN_WORDS = (
    f"{CHILD} {PARTNER} mom mum mother dad father parent sister brother sibling twin cousin aunt "
    "uncle niece nephew grandma grandpa grandmother grandfather grandparent grandson "
    "granddaughter grandchild family stepmother stepfather in-law mother-in-law father-in-law "
    "daughters sons kids children babies toddlers parents sisters brothers siblings twins cousins "
    "aunts uncles nieces nephews grandparents grandchildren grandkids"
)
PET_WORDS = (
    "dog cat puppy kitten pet hamster rabbit parrot turtle tortoise goldfish horse pony pup "
    "guinea_pig bird budgie canary lizard gecko snake ferret chicken hen fish rat mouse bunny "
    "labrador poodle terrier beagle dachshund greyhound corgi retriever spaniel collie tabby "
    "dogs cats puppies kittens pets hamsters rabbits parrots turtles horses ponies pups "
    "guinea_pigs birds budgies chickens hens snakes rats mice bunnies ducks goats bees"
)
PEOPLE_WORDS = (
    "friend friends roommate flatmate housemate neighbour neighbor neighbours neighbors mentor "
    "acquaintance bandmate teammate"
)
WORKMATE_WORDS = (
    "boss manager colleague colleagues coworker coworkers team client clients customer customers "
    "supervisor employee employees assistant intern investor cofounder co-founder"
)

KIN, PETS, PEOPLE = _any(KIN_WORDS), _any(PET_WORDS), _any(PEOPLE_WORDS)
WORKMATES = _any(WORKMATE_WORDS)
BUSINESS = _any(
    "bakery shop store company business startup start-up firm restaurant café cafe salon studio "
    "farm agency practice clinic hotel bar pub brewery bookshop bookstore boutique hostel gym "
    "workshop consultancy dealership franchise nursery kennel vineyard winery garage pharmacy "
    "laundry kiosk stall gallery law_firm food_truck coffee_shop guesthouse dance_studio charity"
)
PROFESSION = _any(
    "nurse teacher doctor engineer developer designer lawyer carpenter plumber electrician baker "
    "chef cook waiter waitress barista bartender driver pilot sailor farmer gardener florist "
    "butcher mechanic welder builder architect artist painter sculptor musician singer actor "
    "actress dancer writer author journalist editor translator interpreter librarian scientist "
    "researcher biologist chemist physicist mathematician statistician economist accountant "
    "auditor banker broker cashier clerk secretary receptionist assistant manager director ceo cto "
    "cfo founder entrepreneur consultant analyst programmer coder administrator sysadmin "
    "technician paramedic midwife dentist pharmacist surgeon physician therapist psychologist "
    "psychiatrist counsellor counselor physiotherapist vet veterinarian hairdresser barber "
    "beautician tailor photographer filmmaker videographer producer professor lecturer tutor "
    "coach trainer instructor soldier officer policeman policewoman firefighter guard detective "
    "judge notary politician diplomat priest pastor rabbi imam social_worker carer caregiver "
    "nanny cleaner janitor housekeeper postman courier fisherman miner mason bricklayer roofer "
    "seller salesman saleswoman salesperson marketer recruiter realtor estate_agent travel_agent "
    "flight_attendant tour_guide copywriter blogger streamer potter jeweller beekeeper zookeeper "
    "optician optometrist radiologist cardiologist geologist historian archaeologist "
    "anthropologist sociologist linguist astronomer data_scientist team_lead product_owner "
    "supervisor foreman apprentice intern freelancer contractor civil_servant actuary surveyor "
    "planner logistician dispatcher operator machinist locksmith upholsterer glazier plasterer"
)
LANGUAGES = _any(
    "english german french spanish portuguese italian dutch swedish norwegian danish finnish "
    "polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian arabic "
    "hebrew persian hindi urdu bengali tamil chinese mandarin cantonese japanese korean "
    "vietnamese thai indonesian malay swahili catalan basque irish welsh latin croatian serbian "
    "slovenian estonian latvian lithuanian icelandic tagalog"
)
NATIONALITY = _any(
    "english german french spanish portuguese italian dutch swedish norwegian danish finnish "
    "polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian british "
    "scottish welsh irish american canadian mexican brazilian argentinian chilean colombian "
    "peruvian cuban australian indian pakistani bangladeshi chinese japanese korean vietnamese "
    "thai indonesian filipino egyptian moroccan nigerian kenyan ethiopian israeli lebanese "
    "iranian iraqi syrian austrian swiss belgian croatian serbian slovenian estonian latvian "
    "lithuanian icelandic south_african european"
)
CONDITION = _any(
    "diabetes asthma migraine migraines epilepsy arthritis adhd autism dyslexia depression "
    "anxiety insomnia hypertension high_blood_pressure anaemia anemia eczema psoriasis cancer "
    "ibs crohn's coeliac_disease celiac_disease tinnitus vertigo sciatica scoliosis back_pain "
    "hay_fever sleep_apnoea sleep_apnea parkinson's dementia long_covid endometriosis gout "
    "heart_disease heart_condition thyroid_problem chronic_fatigue bad_knee bad_back"
)
STATE = _any(
    "diabetic asthmatic epileptic autistic dyslexic deaf blind colour-blind color-blind "
    "colour_blind color_blind hard_of_hearing short-sighted shortsighted anaemic anemic disabled "
    "lactose_intolerant gluten_intolerant coeliac celiac"
)
BODY = _any(
    "ankle leg arm wrist knee foot toe finger thumb hand shoulder back neck hip rib ribs elbow "
    "nose collarbone hamstring tendon ligament muscle tooth head"
)
DIET = _any(
    "vegan vegetarian pescatarian flexitarian halal kosher gluten-free dairy-free plant-based "
    "keto paleo lactose-free"
)
VEHICLE = _any(
    "car van truck motorbike motorcycle scooter bicycle bike e-bike boat camper campervan"
)
CAR_MAKE = _any(
    "tesla volvo toyota honda bmw volkswagen ford fiat renault audi mazda nissan kia skoda"
)
DEVICE = _any(
    "laptop phone smartphone iphone ipad tablet computer macbook mac pc camera console playstation "
    "xbox switch printer monitor tv television smartwatch watch kindle drone headphones router"
)
SOFTWARE = _any(
    "python javascript typescript rust java kotlin swift ruby php golang linux windows macos "
    "ubuntu android ios vim emacs excel photoshop figma notion slack django react postgres sql "
    "docker kubernetes git github firefox chrome vs_code wordpress shopify"
)
DRINKS = "tea coffee wine beer juice water cocktail espresso latte cappuccino whisky gin soda milk"
FOOD = (
    "food cook bake recipe restaurant eat dinner lunch breakfast pizza meal dish cake dessert "
    "bread pasta rice meat fish chicken beef pork cheese chocolate fruit vegetable apple banana "
    "soup salad sushi curry spicy sweet snack peanut nut egg shellfish mushroom olive cilantro "
    "coriander tomato onion garlic cuisine burger taco ice sourdough seafood tofu strawberry "
    "strawberries shrimp prawn soy wheat gluten sesame dairy lactose kiwi mango avocado almond "
    "walnut hazelnut cashew celery mustard lentil"
)
MUSIC = (
    "music jazz rock pop opera song band concert guitar piano violin drum metal rap hip-hop folk "
    "classical techno blues country vinyl album singer orchestra choir"
)
FILMS = "film movie series tv cinema documentary anime netflix show sitcom horror thriller"
BOOKS = "book novel read poetry poem comic manga author fiction literature library"
SPORT = (
    "football soccer basketball tennis golf rugby cricket hockey volleyball run jog swim cycle "
    "yoga gym climb hike ski snowboard surf marathon boxing karate judo pilates bouldering sail "
    "row dive skate badminton squash baseball triathlon workout crossfit"
)
GAMES = "game chess poker videogame minecraft puzzle crossword sudoku boardgame dungeons"
NATURE = "beach mountain sea forest nature lake camping outdoors park garden hiking"
